#!/usr/bin/env bash
# What the load client itself costs, beside wrk and h2load (Debian's packages wrk and nghttp2-client), and whether the
# three agree on a server's throughput.
#
# usage: docs/bench/client.sh [rounds [seconds [connections]]]                 after: mvn -DskipTests package
# JAVA names the JVM of the client, SERVER_JAVA that of the server. The server is warmed up for WARM_UP_SECONDS (15) of each
# work, and ours for as long before each window: a JVM compiles until then.
#
# 1. Cost: /hello of the NIO listener, keep-alive, closed model, unpinned. CPU time of the client per request: of wrk and
#    h2load the whole process, of ours the window (its JVM warms up before). "verifying" is /generate-uuid with every
#    answer checked byte by byte; "counting" looks at the status alone.
# 2. Agreement, closed model: server on one core, client on the other, /generate-uuid with 100 UUIDs, so that the server is
#    the limit.
# 3. Agreement, open model: 2,000 requests/s of /hello (h2load spreads its rate over connections; wrk has no rate).
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-5} seconds=${2:-5} connections=${3:-32}
java=${JAVA:-java} server_java=${SERVER_JAVA:-${JAVA:-java}}
WARM_UP_SECONDS=${WARM_UP_SECONDS:-15}
work=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT

serve() { # prefix...
    [ -z "$pid" ] || { kill "$pid"; wait "$pid" 2>/dev/null || true; }
    "$@" "$server_java" -Xmx512m -jar webapp/target/millrace.war --bio-port=-1 --nio-port=0 --dispatch=selector \
        > "$work/server.out" 2> "$work/server.err" &
    pid=$!
    for _ in $(seq 300); do
        if grep -q listening "$work/server.out"; then
            url=$(sed -n 's/.*listening on //p' "$work/server.out")
            return
        fi
        sleep 0.1
    done
    echo "the server did not start:" >&2
    cat "$work/server.err" >&2
    exit 1
}

# Each prints: requests per second, CPU microseconds of the client per request.
timed() { # command...
    local TIMEFORMAT='cpu %U %S'
    { time "$@" > "$work/out" 2>&1; } 2> "$work/time"
}
cost() { awk -v n="$1" '/^cpu/ { printf "%.2f", ($2 + $3) * 1e6 / n }' "$work/time"; }
warm_up() { # prefix, path: of the server, so that whoever comes first does not meet its compilers
    $1 wrk -t1 "-c$connections" "-d${WARM_UP_SECONDS}s" "$url$2" > "$work/out"
}
wrk_() { # prefix, path
    timed $1 wrk -t1 "-c$connections" "-d${seconds}s" "$url$2"
    local n
    n=$(awk '/requests in/ { print $1 }' "$work/out")
    echo "$(awk '/Requests\/sec/ { print $2 }' "$work/out") $(cost "$n")"
}
h2load_() { # prefix, path, further options
    timed $1 h2load --h1 -t1 "-c$connections" "-D$seconds" ${3:-} "$url$2"
    local n
    n=$(awk '/^requests:/ { print $8 }' "$work/out")
    echo "$(awk -v n="$n" -v s="$seconds" 'BEGIN { print n / s }') $(cost "$n")"
}
ours() { # prefix, verify, path, further options
    $1 "$java" -jar loadclient/target/loadclient.jar uuid -q "-c$connections" "-d${seconds}s" "--warmup=${WARM_UP_SECONDS}s" --format=csv \
        -o "$work/ours" "--verify=$2" ${4:-} "$url$3" > "$work/out"
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 { print $at["requests_per_s"], $at["client_us_per_request"] }' "$work/ours/cells.csv"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
table() { # prints medians of $work/NAME, and requests per CPU second beside those of the first
    local first=
    printf '%-22s %12s %14s %10s\n' "$title" requests/s "client us/req" "per CPU s"
    for name in "$@"; do
        [ -s "$work/$name" ] || continue
        local rate each
        rate=$(cut -d' ' -f1 "$work/$name" | median)
        each=$(cut -d' ' -f2 "$work/$name" | median)
        first=${first:-$each}
        printf '%-22s %12.0f %14.2f %9.2fx\n' "$name" "$rate" "$each" "$(awk "BEGIN { print $first / $each }")"
    done
    echo
}

echo "$("$java" -version 2>&1 | sed -n 2p); $(uname -sr); $(nproc) cores; commit $(git describe --always --dirty)"
echo "$rounds rounds of $seconds s, $connections connections, medians"
echo
serve env
warm_up "" /hello
warm_up "" "/generate-uuid?method=TIME"
for _ in $(seq "$rounds"); do
    wrk_ "" /hello >> "$work/wrk"
    h2load_ "" /hello >> "$work/h2load"
    ours "" none /hello >> "$work/ours-counting"
    ours "" full /generate-uuid "--uuid-method=TIME" >> "$work/ours-verifying"
done
title="cost"
table wrk h2load ours-counting ours-verifying

if [ "$(nproc)" -gt 1 ]; then
    serve taskset -c 0
    hundred="/generate-uuid?method=TIME&count=100"
    warm_up "taskset -c 1" "$hundred"
    for _ in $(seq "$rounds"); do
        wrk_ "taskset -c 1" "$hundred" >> "$work/wrk-closed"
        h2load_ "taskset -c 1" "$hundred" >> "$work/h2load-closed"
        ours "taskset -c 1" full /generate-uuid "--uuid-method=TIME --count=100" >> "$work/ours-closed"
    done
    title="closed, server-bound"
    table wrk-closed h2load-closed ours-closed
fi

serve env
warm_up "" /hello
for _ in $(seq "$rounds"); do
    h2load_ "" /hello "--rps=$(awk "BEGIN { print 2000 / $connections }")" >> "$work/h2load-open"
    ours "" none /hello "--rate=2000" >> "$work/ours-open"
done
title="open, 2,000/s"
table h2load-open ours-open
