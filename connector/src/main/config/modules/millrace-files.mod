[description]
Sends the files of all deployed applications by the kernel (sendfile), on the connectors of Millrace: Jetty's own
DefaultServlet and ResourceServlet of the environments ee10 and ee11, and static applications, all unchanged.

[tags]
server
handler

[depend]
server
millrace-connector

[xml]
etc/millrace-files.xml

[ini]
millrace.modules+=,millrace-files

[ini-template]
### Files by sendfile
### Each file servlet has open files and contents of its own.

## The size in bytes below which content is read from the open file, and goes out in one write with the header.
# millrace.files.minTransferBytes=16384

## The size in bytes up to which larger content leaves with the header too, from the file's mapping (0: none); what is larger yet goes by the kernel.
# millrace.files.maxGatherBytes=65536

## The most files that are kept open, and the most missing paths that are remembered.
# millrace.files.maxOpenFiles=2048

## For how long a file is believed to be unchanged, in milliseconds (0: not at all, each request looks at its file; -1: for ever).
# millrace.files.validMillis=0

## For how long a path is believed to lead nowhere, in milliseconds (0: not at all; -1: for ever).
# millrace.files.missingMillis=0

## The most memory for the contents of small files, in bytes, outside the heap, taken as it is needed (0: none).
# millrace.files.maxCacheBytes=4194304

## The size in bytes of the largest file in that memory.
# millrace.files.maxCachedFileBytes=65536

## A directory on a hugetlbfs mount, for that memory; ordinary pages unless given.
# millrace.files.largePages=/dev/hugepages

## The most bytes of a compressible file that a CompressionHandler is given; larger ones go by the kernel as they are.
# millrace.files.maxCompressedBytes=1048576

## How transfers take turns: SimpleBlocking, EqualNonBlocking, EqualBlocking(bytes) or Adaptive; the connector's unless given.
# millrace.files.algorithm=

## Whether answers say in X-Millrace-Sendfile how their content went: "yes", or why not.
# millrace.files.debugHeader=false
