[description]
Adds clear-text HTTP/2, by prior knowledge and by upgrade, to the connector of millrace-bio.

[tags]
connector
http2
http

[depend]
millrace-bio

[lib]
lib/http2/jetty-http2-common-${jetty.version}.jar
lib/http2/jetty-http2-hpack-${jetty.version}.jar
lib/http2/jetty-http2-server-${jetty.version}.jar

[xml]
etc/millrace-bio-h2c.xml

[ini]
millrace.modules+=,millrace-bio-h2c

[ini-template]
### Clear-text HTTP/2 of millrace-bio

## The most requests of a connection that run at once.
# millrace.bio.h2c.maxConcurrentStreams=128

## The bytes that a client may send for one request before the application has read them.
# millrace.bio.h2c.initialStreamRecvWindow=524288

## The same for all requests of a connection together.
# millrace.bio.h2c.initialSessionRecvWindow=1048576

## The most keys in all SETTINGS frames of a connection.
# millrace.bio.h2c.maxSettingsKeys=64

## The most bad frames, pings, settings and resets of streams per second; a connection with more of these is closed.
## At least 1; 2147483647 is no limit.
# millrace.bio.h2c.maxEventsPerSecond=128
