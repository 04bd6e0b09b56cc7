[description]
Enables a blocking clear-text HTTP/1.1 connector: a thread for each connection, platform or virtual.

[tags]
connector
http

[depend]
millrace-connector

[xml]
etc/millrace-bio.xml

[ini]
millrace.modules+=,millrace-bio

[ini-template]
### Blocking (BIO) HTTP Connector of Millrace

## The connector's name: contexts choose it by that ("@bio" as a virtual host), and its beans in JMX have it.
# millrace.bio.name=bio

## The host/address to bind the connector to.
# millrace.bio.host=0.0.0.0

## The port the connector listens on; 0 picks a free one.
# millrace.bio.port=8080

## The connection idle timeout, in milliseconds: without a byte in either direction.
# millrace.bio.idleTimeout=30000

## The idle timeout that connections get when the server stops gracefully, in milliseconds.
# millrace.bio.shutdownIdleTimeout=1000

## The number of threads that accept connections.
# millrace.bio.acceptors=1

## The thread priority delta to give to acceptor threads.
# millrace.bio.acceptorPriorityDelta=-2

## The most connections that wait to be accepted (0: as many as the system allows, Linux by net.core.somaxconn).
# millrace.bio.acceptQueueSize=0

## Whether to enable the SO_REUSEADDR socket option.
# millrace.bio.reuseAddress=true

## Whether to enable the SO_REUSEPORT socket option.
# millrace.bio.reusePort=false

## Whether to listen on the channel that the JVM inherited (systemd, inetd) in place of host and port.
# millrace.bio.inheritChannel=false

## Whether to enable the TCP_NODELAY socket option on accepted sockets.
# millrace.bio.acceptedTcpNoDelay=true

## The SO_RCVBUF socket option of accepted sockets (-1 keeps the platform default).
# millrace.bio.acceptedReceiveBufferSize=-1

## The SO_SNDBUF socket option of accepted sockets (-1 keeps the platform default).
# millrace.bio.acceptedSendBufferSize=-1

## The kind of the connections' threads: platform, virtual, or auto (virtual on JDK 21 and newer).
# millrace.bio.threads=auto

## The most bytes that are read ahead of the protocol, per connection (128 at first, twice as many when two reads in a row filled them).
# millrace.bio.readAheadBytes=512

## The most connections that are open at once; more wait in the backlog (0: no limit).
# millrace.bio.maxConnections=0

## The time that the head of a request (and a TLS handshake) may take, in milliseconds (0: no limit).
# millrace.bio.requestHeadTimeoutMillis=30000

## The least bytes per second of a request's content while the application waits for it, and others for its thread (0: no limit).
# millrace.bio.minRequestBytesPerSecond=240

## The least bytes per second that a peer must take while a write waits for it (0: no limit).
# millrace.bio.minResponseBytesPerSecond=240

## The time for which a peer may be slower than that, in milliseconds; four times as long before the first byte of content.
# millrace.bio.slowPeerGraceMillis=5000

## The longest time for which the socket of an answered connection stays open for a peer that goes on sending, in milliseconds; 0: it is closed at once.
# millrace.bio.lingeringCloseMillis=30000

## The most bytes that such a peer may send in that time.
# millrace.bio.lingeringCloseBytes=67108864

## Whether slow requests are ended also while nobody waits for the thread, or the connection, that they hold.
# millrace.bio.slowRequestsAlwaysEnded=false

## Whether requests that say they are gRPC may be as slow as they like.
# millrace.bio.grpcExempt=false

## How transfers of files take turns: Adaptive, EqualNonBlocking, EqualBlocking, EqualBlocking(bytes), SimpleBlocking.
# millrace.bio.algorithm=Adaptive

## The most transfers of files that have their turn at once.
# millrace.bio.workers=50

## The size of each connection's cache of request header fields (0: none; -1: as jetty.httpConfig.headerCacheSize says).
# millrace.bio.headerCacheSize=0
