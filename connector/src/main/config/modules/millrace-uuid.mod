[description]
Adds the sample application of Millrace: UUID service, files, live page.
It takes the WAR from lib/millrace/millrace.war, or from where millrace.uuid.war says.

[tags]
application

[environment]
ee11

[depend]
ee11-webapp

[xml]
etc/millrace-uuid.xml

[ini-template]
### The sample application of Millrace

## The WAR, absolute or relative to $JETTY_BASE.
# millrace.uuid.war=lib/millrace/millrace.war

## The context path.
# millrace.uuid.contextPath=/

## The folder that is served below /files/, absolute or relative to $JETTY_BASE; generated files unless given.
# millrace.uuid.files=files
