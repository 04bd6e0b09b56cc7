#!/usr/bin/env bash
# What many connections cost: the connectors beside Jetty's own, Tomcat and Undertow. Each server is a JVM of its own, started anew for
# each case. Prints medians. Needs wrk and ss (Debian's packages wrk, iproute2), `ulimit -n` of 11,000 or more.
#
# usage: docs/bench/connections.sh [rounds [seconds [case...]]]      after: mvn -DskipTests package
#   idle       10,000 connections of which 100 are busy, beside the 100 alone: the throughputs and their quotient
#   busyN      N connections, all busy, and a heap of 1 GiB: us of server CPU per request, errors; with busy10000 platform threads are
#              left out
#   memory     bytes of resident memory, and of objects, per keep-alive connection that has been idle for 5 s after one request: the slope
#              from 1,000 to 10,000.
#              The heap has no room to spare, for connections would be taken into what is resident already; before it 20,000 are opened
#              and closed, for the stack of a virtual thread is larger while its methods are interpreted
#   trickle    latency of one client beside 5,000 connections that send a byte a second, and alone, and the quotients
# Opening 10,000 connections takes a second or two: give the busy cases 10 s or more.
# A server serves WARM_UP_SECONDS (15) of a case but memory before it is measured; when busy, its compilers come to rest.
# JAVA names another JVM; HEAP (-Xmx1g; idle, trickle:
# -Xmx3g) is its heap, JAVA_OPTIONS come besides. SERVERS replaces the list, a line each: label, nginx or a peer, options
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-5} seconds=${2:-5} warm_up=${WARM_UP_SECONDS:-15}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- idle busy1700 busy10000 memory trickle
needs "$peers"
[ "$(ulimit -n)" = unlimited ] || [ "$(ulimit -n)" -ge 11000 ] || fail "ulimit -n is $(ulimit -n), 11000 are needed"
options_of_all=${JAVA_OPTIONS:-}
servers=${SERVERS:-"stock jetty-servlet
bio-platform millrace-servlet --connector=bio --threads=platform
nio-selector millrace-servlet --dispatch=selector
nio-adaptive millrace-servlet --dispatch=adaptive
tomcat tomcat
undertow undertow"}
if [ -z "${SERVERS:-}" ] && has_virtual_threads; then
    servers+=$'\nbio-virtual millrace-servlet --connector=bio --threads=virtual'
fi
if [ -z "${SERVERS:-}" ] && has_helidon; then
    servers+=$'\nhelidon helidon'
fi
names=$(awk '{ print $1 }' <<< "$servers")

holder=
clean_up() { [ -z "$holder" ] || kill "$holder" 2> /dev/null || true; }

# serve LABEL HEAP: that server alone, warm
serve() {
    local label peer options
    read -r label peer options < <(grep "^$1 " <<< "$servers")
    JAVA_OPTIONS="${HEAP:-$2} $options_of_all"
    # shellcheck disable=SC2086
    start_peer "$label" "$work" "$peer" $options
    url_of "$label" > /dev/null
}

# silent PID MILLIS: how many connections of that client have received nothing for so long
silent() {
    ss -tnipHO state established | awk -v pid="pid=$1," -v most="$2" '
        index($0, pid) && match($0, /lastrcv:[0-9]+/) && substr($0, RSTART + 8, RLENGTH - 8) + 0 > most { n++ }
        END { print n + 0 }'
}

# load LABEL CONNECTIONS SECONDS: "requests errors p50 p99", latencies in us
load() {
    local wrk unanswered
    wrk -t1 -c"$2" -d"$3" --timeout=30 --latency "$(url_of "$1")/hello" > "$work/wrk" &
    wrk=$!
    # wrk does not tell of a connection that is never answered. Near the end one that has waited for half of the time counts.
    sleep "$(awk -v s="$3" 'BEGIN { print s * 0.9 }')"
    unanswered=$(silent "$wrk" $(($3 * 450)))
    # A caller within $( ) or || has no errexit.
    wait "$wrk" || return
    awk -v errors="$unanswered" '
        function us(time) { return time * (time ~ /us$/ ? 1 : time ~ /ms$/ ? 1000 : time ~ /m$/ ? 60000000 : 1000000) }
        / requests in / { requests = $1 }
        /Socket errors/ { gsub(",", ""); errors += $4 + $6 + $8 + $10 }
        /Non-2xx/ { errors += $NF }
        $1 == "50%" { p50 = us($2) }
        $1 == "99%" { p99 = us($2) }
        END { print requests + 0, errors + 0, p50 + 0, p99 + 0 }' "$work/wrk"
}

# hold LABEL COUNT [trickle]
hold() {
    local url _
    url=$(url_of "$1")
    "$java" -Xmx256m -XX:+UseSerialGC -cp "$peers" dev.millrace.peers.Hold "${url##*:}" "${@:2}" > "$work/hold.out" 2> "$work/hold.err" &
    holder=$!
    for _ in $(seq 600); do
        ! grep -q holding "$work/hold.out" || return 0
        kill -0 "$holder" 2> /dev/null || break
        sleep 0.1
    done
    cat "$work/hold.err" >&2
    fail "$1 does not take $2 connections"
}

# release: how many the server has closed
release() {
    kill "$holder"
    wait "$holder" || true
    holder=
    sed -n 's/closed //p' "$work/hold.out"
}

# idle LABEL: with/alone, requests/s alone and with, closed by the server
idle() {
    local round alone with closed
    serve "$1" -Xmx3g
    load "$1" 100 "$warm_up" > /dev/null
    for round in $(seq "$rounds"); do
        alone=$(undisturbed load "$1" 100 "$seconds")
        hold "$1" 9900
        with=$(undisturbed load "$1" 100 "$seconds")
        release > "$work/closed"
        closed=$(cat "$work/closed")
        echo "$1 $alone $with $closed" | awk -v s="$seconds" '{ print $1, $6 / $2, $2 / s, $6 / s, $10, $3 + $7 }' >> "$work/results"
    done
    stop_all
}

# busy LABEL CONNECTIONS: us of CPU per request, requests/s, errors
busy() {
    local result time
    serve "$1" -Xmx1g
    # The larger server has more to compile.
    for time in "$warm_up" "$seconds"; do
        load "$1" "$2" "$time" > /dev/null || true
        kill -0 "${pids[$1]}" 2> /dev/null || break
        await_rest "$1"
    done
    if ! result=$(undisturbed costly_load "$1" "$2" "$seconds"); then
        echo "$1 has ended: $(tail -1 "$work/$1.err")"
        echo "$1 - - -" >> "$work/results"
    elif [ "$(cut -d' ' -f2 <<< "$result")" = 0 ]; then
        echo "$1 answered nothing: $(tail -1 "$work/$1.err")"
        echo "$1 - - -" >> "$work/results"
    else
        echo "$1 $result" | awk -v s="$seconds" '{ print $1, $2 * 10000 / $3, $3 / s, $4 }' >> "$work/results"
    fi
    stop_all
}

# costly_load LABEL CONNECTIONS SECONDS: ticks of the server's CPU, and what load prints
costly_load() {
    local before after result
    before=$(cpu_of "$1") && result=$(load "$@") && after=$(cpu_of "$1") && echo "$((after - before)) $result"
}

# memory_of LABEL: KiB of resident memory, bytes of objects that live, after a collection
memory_of() {
    local pid objects
    # Ours give something up after two seconds without a request.
    sleep 5
    # An array that fills a hole is no object. What is no JVM has none, 0.
    objects=$(histogram "$1" |
        awk '$4 ~ /FillerElement|FillerArray/ { filler += $3 } $1 == "Total" { total = $3 } END { print total - filler }') || return
    sleep 1
    for pid in $(tree_of "${pids[$1]}"); do awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"; done |
        awk -v objects="$objects" '{ kib += $1 } END { print kib, objects }'
}

# memory LABEL: bytes per connection
memory() {
    local few many
    serve "$1" "-Xmx3g -Xms16m -Xmn8m -XX:+UseSerialGC -XX:MinHeapFreeRatio=1 -XX:MaxHeapFreeRatio=2 -XX:-ShrinkHeapInSteps -XX:MarkSweepDeadRatio=0"
    for _ in 1 2 3 4; do
        hold "$1" 5000
        release > /dev/null
        sleep 2
    done
    # A thread of a pool that has nothing to do stays for a minute.
    sleep 62
    hold "$1" 1000
    few=$(memory_of "$1")
    release > /dev/null
    hold "$1" 10000
    many=$(memory_of "$1")
    release > "$work/closed"
    echo "$1 $few $many $(cat "$work/closed")" |
        awk '{ print $1, ($4 - $2) * 1024 / 9000, ($5 - $3) / 9000, $2 / 1024, $4 / 1024, $6 }' >> "$work/results"
    stop_all
}

# trickle LABEL: quotients at 50 % and 99 %, us alone and with at 50 % and at 99 %. Each round has a server of its own: one that has just
# lost 5,000 connections is busy with their end.
trickle() {
    local alone with
    serve "$1" -Xmx3g
    load "$1" 1 "$warm_up" > /dev/null
    alone=$(undisturbed load "$1" 1 "$seconds")
    hold "$1" 5000 trickle
    with=$(undisturbed load "$1" 1 "$seconds")
    release > "$work/closed"
    echo "$1 $alone $with $(cat "$work/closed")" | awk '{ print $1, $8 / $4, $9 / $5, $4, $8, $5, $9, $10, $3 + $7 }' >> "$work/results"
    stop_all
}

run() {
    local label round which=$1
    : > "$work/results"
    echo
    echo "$which: $rounds rounds of $seconds s after $warm_up s"
    case $which in
        idle) for label in $names; do idle "$label"; done ;;
        busy[1-9]* | memory | trickle)
            for round in $(seq 0 $((rounds - 1))); do
                # shellcheck disable=SC2086
                for label in $(in_turn "$round" $names); do
                    case "$which $label" in
                        "busy10000 bio-platform") ;;
                        memory* | trickle*) "$which" "$label" ;;
                        *) busy "$label" "${which#busy}" ;;
                    esac
                done
            done ;;
        *) fail "no case $which" ;;
    esac
    # shellcheck disable=SC2086
    by_label $names < "$work/results" | case $which in
        idle) table with/alone "alone req/s" "with req/s" closed errors ;;
        busy*) table "us CPU/req" requests/s errors ;;
        memory) table "bytes/conn" objects "MiB at 1,000" "MiB, 10,000" closed ;;
        trickle) table "p50 factor" "p99 factor" "p50 alone" "p50 with" "p99 alone" "p99 with" closed errors ;;
    esac
}

about
for which in "$@"; do run "$which"; done
