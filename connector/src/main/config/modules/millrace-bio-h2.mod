[description]
Adds HTTP/2, chosen by ALPN, to the TLS connector of millrace-bio-https.

[tags]
connector
http2
http
ssl

[depend]
millrace-bio-https
alpn-impl

[lib]
lib/jetty-alpn-server-${jetty.version}.jar
lib/http2/jetty-http2-common-${jetty.version}.jar
lib/http2/jetty-http2-hpack-${jetty.version}.jar
lib/http2/jetty-http2-server-${jetty.version}.jar

[xml]
etc/millrace-bio-h2.xml

[ini]
millrace.modules+=,millrace-bio-h2

[ini-template]
### HTTP/2 of millrace-bio-https

## The protocols that ALPN offers, the preferred one first. Each is h2 or http/1.1.
# millrace.bio.h2.protocols=h2,http/1.1

## The protocol of clients that do not use ALPN: one of these.
# millrace.bio.h2.defaultProtocol=http/1.1

## The most requests of a connection that run at once.
# millrace.bio.h2.maxConcurrentStreams=128

## The bytes that a client may send for one request before the application has read them.
# millrace.bio.h2.initialStreamRecvWindow=524288

## The same for all requests of a connection together.
# millrace.bio.h2.initialSessionRecvWindow=1048576

## The most keys in all SETTINGS frames of a connection.
# millrace.bio.h2.maxSettingsKeys=64

## The most bad frames, pings, settings and resets of streams per second; a connection with more of these is closed.
## At least 1; 2147483647 is no limit.
# millrace.bio.h2.maxEventsPerSecond=128
