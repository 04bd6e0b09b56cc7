[description]
Puts SendfileServlet on the class path of the environment ee11, for applications that name it in their web.xml
(dev.millrace.ee11.SendfileServlet). Applications whose files Jetty's own servlets serve need millrace-files only.

[environment]
ee11

[tags]
servlet

[depend]
millrace-connector
ee11-servlet

[lib]
lib/millrace/millrace-ee11.jar
