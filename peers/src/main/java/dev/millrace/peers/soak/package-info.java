/**
 * A server and a load that show whether anything grows while they run for long: {@code docs/bench/soak.sh} starts both.
 * Entry classes: {@link dev.millrace.peers.soak.SoakServer} and {@link dev.millrace.peers.soak.SoakLoad}.
 */
@NullMarked
package dev.millrace.peers.soak;

import org.jspecify.annotations.NullMarked;
