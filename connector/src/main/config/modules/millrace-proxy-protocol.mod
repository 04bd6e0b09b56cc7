[description]
Has the connectors of Millrace understand the PROXY protocol, version 1 or 2, before TLS or HTTP.
A load balancer tells by it who the client is. Jetty's own proxy-protocol is for Jetty's own connector, which it opens.

[tags]
connector

[depend]
millrace-connector

[after]
millrace-bio
millrace-bio-https
millrace-bio-h2
millrace-bio-h2c
millrace-nio
millrace-nio-https
millrace-nio-h2
millrace-nio-h2c

[xml]
etc/millrace-proxy-protocol.xml

[ini]
millrace.modules+=,millrace-proxy-protocol

[ini-template]
### PROXY Protocol of the connectors of Millrace
### Whoever reaches such a connector can say that it is any client: let only the load balancer reach it.

## The names of the connectors that understand it, separated by commas; all of Millrace unless given.
# millrace.proxyProtocol.connectors=nio,nio-https
