[description]
Sends the files that applications name in X-Sendfile or X-Accel-Redirect, by the kernel on the connectors of Millrace.
Applies to all applications of the server, whatever they are made of.

[tags]
server
handler

[before]
compression
graceful
gzip
min-data-rate
size-limit
statistics

[depend]
server
millrace-connector

[xml]
etc/millrace-xsendfile.xml

[ini]
millrace.modules+=,millrace-xsendfile

[ini-template]
### Files that applications name in X-Sendfile or X-Accel-Redirect

## Whether files are sent; the fields never reach the client in any case.
# millrace.xsendfile.enabled=true

## Whether files are sent that other servers name, whose answers a ProxyHandler fetches; they may then name all files below the roots.
# millrace.xsendfile.proxied=false

## The directories of the files that any application may name in X-Sendfile; separated by commas, absolute or relative to
## $JETTY_BASE. The field names an absolute path. A file below none of these, nor of contextRoots, links followed, is answered 404.
# millrace.xsendfile.roots=files,/srv/files

## Where the URIs of X-Accel-Redirect lead to: /prefix/=directory, separated by commas.
# millrace.xsendfile.mappings=/protected/=files,/more/=/srv/files

## The directories of single applications, besides: /context=directory, separated by commas.
# millrace.xsendfile.contextRoots=/shop=shop-files,/wiki=/srv/wiki

## The mappings of single applications, besides: /context=/prefix/=directory, separated by commas.
# millrace.xsendfile.contextMappings=/shop=/protected/=shop-files

## The URL to which the end of each transfer is posted; none unless given. A user and a password in it (http://user:password@host/),
## percent-encoded, are sent as Basic authentication, and neither logged nor shown.
# millrace.xsendfile.notifier.destination=http://127.0.0.1:9000/results

## The most results that wait to be posted; more are dropped, and counted.
# millrace.xsendfile.notifier.maxPending=1000

## How often a post that failed is tried again.
# millrace.xsendfile.notifier.retries=3

## How long after the first failure, in milliseconds; doubled with each.
# millrace.xsendfile.notifier.retryDelayMillis=1000

## How long a post may take, in milliseconds.
# millrace.xsendfile.notifier.timeoutMillis=5000

## The size in bytes below which content is read from the open file, and goes out in one write with the header.
# millrace.xsendfile.minTransferBytes=16384

## The size in bytes up to which larger content leaves with the header too, from the file's mapping (0: none); what is larger yet goes by the kernel.
# millrace.xsendfile.maxGatherBytes=65536

## The most files that are kept open.
# millrace.xsendfile.maxOpenFiles=2048

## For how long a file is believed to be unchanged, in milliseconds (0: not at all, each request looks at its file; -1: for ever).
# millrace.xsendfile.validMillis=0

## The most ranges of one request that are served; a request for more is sent the whole file.
# millrace.xsendfile.maxRanges=16

## Whether answers say in X-Millrace-Sendfile how their content went: "yes", or why not.
# millrace.xsendfile.debugHeader=false
