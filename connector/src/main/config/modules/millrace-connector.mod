[description]
Puts the connectors of Millrace on the server's class path, and shows their figures to applications.
Enabled by the modules that use them.

[tags]
connector

[depend]
server

[after]
http
ssl

[lib]
lib/millrace/millrace-connector.jar
lib/millrace/millrace-modules.jar
lib/millrace/caffeine.jar

[xml]
etc/millrace-connector.xml
etc/millrace-properties.xml

[jpms]
add-exports: org.eclipse.jetty.server/org.eclipse.jetty.server.internal=dev.millrace.connector
add-opens: org.eclipse.jetty.server/org.eclipse.jetty.server.handler=dev.millrace.connector
