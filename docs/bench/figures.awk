# The tables that client.sh (its parts of cost; others are left out), connectors.sh, files.sh, http2.sh and tls.sh print, as lines for
# docs/results/performance/figures.csv.
#
# usage: awk -v run=NAME -v script=client|connectors|files|http2|tls -f docs/bench/figures.awk < OUTPUT >> docs/results/performance/figures.csv
# Servers have the names of names.csv: labels of the scripts' own lists are translated, those of SERVERS are taken as they are. A workload
# with other connections than the scripts have by default has their number in its name, and is one of names.csv only if that has a line for it.
function pairs(text, map,    i, n, part, pair) {
    n = split(text, part, " ")
    for (i = 1; i <= n; i++) { split(part[i], pair, "="); map[pair[1]] = pair[2] }
}
function named(map, name, otherwise) { return name in map ? map[name] : otherwise }
function figure(measure, value, least, most) { print run "," workload "," server "," measure "," value "," least "," most "," }
BEGIN {
    if (script == "tls") {
        pairs("jetty=jetty-resource-handler nio-selector=handler-selector nio-adaptive=handler-adaptive bio=handler-bio-virtual", servers)
        pairs("small=tls-808 random1m=tls-random-1m", workloads)
    } else if (script == "files") {
        pairs("jetty-handler=jetty-resource-handler jetty-servlet=jetty-default-servlet handler-bio=handler-bio-virtual " \
            "default-selector=default-servlet-selector", servers)
        pairs("small=32 hot64k=32 hot1m=16 hot100m=4 random1m=16 slow=300 slow-tls=300", usual)
        pairs("small=file-808 hot64k=file-64k hot1m=file-1m hot100m=file-100m random1m=random-1m slow=slow-300 slow-tls=tls-slow-300", workloads)
    } else if (script == "connectors" || script == "http2") {
        pairs("stock=jetty", servers)
    } else if (script == "client") {
        pairs("counting=loadclient-counting verifying=loadclient-verifying", servers)
        of = "client_"
    } else {
        print "figures.awk: script=client|connectors|files|http2|tls, not \"" script "\"" > "/dev/stderr"
        exit 2
    }
    pairs("MB/s=mb_per_s requests/s=requests_per_s segments=segments_per_answer", measures)
}
/^[a-z0-9-]+: / && !/^server / {
    name = substr($1, 1, length($1) - 1)
    workload = named(workloads, name, script "-" name) (name in usual && $2 != usual[name] ? "-" $2 : "")
}
/^[0-9]+ connections, / {
    path = substr($3, 1, length($3) - 1)
    if (script == "connectors") workload = (path == "/hello" ? "hello-" : "connectors-" path "-") $1
    other = $1 == 32 ? "" : "-" $1
}
/^[0-9]+ requests by / {
    workload = "hello-h2" ($4 == 32 && $7 == 4 ? "" : "-" $4 "-" $7)
}
script == "client" && /^cost/ {
    workload = "client-cost" (/HTTP.2 over TLS/ ? "-h2" : /clear text/ ? "-h2c" : (/TLS/ ? "-tls" : "") other)
}
/^server / {
    # What the load client's clients agree on is no cost.
    isLeftOut = script == "client" && $2 != "client"
    cost = script == "client" ? "client_cpu_us_per_request" : $2 == "us" ? "cpu_us_per_request" : "cpu_ms_per_gb"
    isMemory = $2 == "KiB/conn"
    columns = $0
    sub(/.*ratio */, "", columns)
    sub(/first p99 ms/, "first_byte_p99_ms", columns)
    count = split(columns, column, " ")
    next
}
NF >= 6 && $4 == "-" && $2 + 0 > 0 && !isLeftOut {
    server = named(servers, $1, $1)
    if (isMemory) {
        figure("object_bytes_per_connection", int($2 * 1024), int($3 * 1024), int($5 * 1024))
        next
    }
    figure(cost, $2, $3, $5)
    figure(of "cpu_ratio", $6)
    # connectors.sh prints the requests of a round, not of a second.
    for (i = 1; i <= count; i++) if (column[i] != "requests") figure(named(measures, column[i], column[i]), $(6 + i))
}
