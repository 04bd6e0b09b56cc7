package dev.millrace.peers;

import java.nio.file.Path;

/**
 * What to serve and how.
 *
 * @param port 0: any free one
 * @param directory what {@code /files/} shows
 * @param maxThreads the largest size of the server's thread pool; 0: the server's default
 * @param connector Jetty's connector; other servers ignore it
 */
record Settings(int port, Path directory, int maxThreads, ConnectorSettings connector) {}
