#!/usr/bin/env bash
# Server CPU per request of the connectors beside Jetty's own, interleaved, under wrk (Debian's package wrk).
# Each server is a JVM of its own with one listener. Prints medians, and ratios to the first server.
#
# usage: docs/bench/connectors.sh [rounds [seconds [connections [path]]]]      after: mvn -DskipTests package
# JAVA names another JVM; JAVA_OPTIONS are given to each; SERVERS replaces the list, a line each: label listener options; a label
# that ends in -before is that of the tree in BEFORE. SERVER_CPUS and CLIENT_CPUS (as taskset -c has them) keep servers and client on
# processors of their own.
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-7} seconds=${2:-5} connections=${3:-32} path=${4:-/hello}
needs "$war"
servers=${SERVERS:-"stock stock
bio-platform bio --threads=platform
nio-adaptive nio --dispatch=adaptive
nio-selector nio --dispatch=selector"}
if [ -z "${SERVERS:-}" ] && has_virtual_threads; then
    servers+=$'\nbio-virtual bio --threads=virtual'
fi

while read -r label listener options; do
    jar=$war
    [[ $label != *-before ]] || jar=${BEFORE:?names the tree of $label}/$war
    # shellcheck disable=SC2086
    start "$label" "$java" ${JAVA_OPTIONS:-} -jar "$jar" --bio-port=-1 --nio-port=-1 --stock-port=-1 "--$listener-port=0" $options
done <<< "$servers"

wrk_at() { (on_cpus "${CLIENT_CPUS:-}" wrk -t1 -c"$2" -d"$3" "$(url_of "$1")$path"); }
load() { wrk_at "$1" "$connections" "$2"; }

for label in "${labels[@]}"; do
    # The first seconds of a JVM cost several times its later ones.
    load "$label" "${WARM_UP_SECONDS:-15}" > /dev/null
    # What runs once per connection is compiled after thousands of them, as in a server that has been up for a while: the
    # frames below a thread's loop, which a virtual thread carries along at each wait.
    for _ in 1 2 3 4; do wrk_at "$label" 1000 1 > /dev/null; done
done
measure() {
    local before after requests
    before=$(cpu_of "$1")
    load "$1" "$seconds" > "$work/wrk"
    after=$(cpu_of "$1")
    if grep -E 'Socket errors|Non-2xx' "$work/wrk" >&2; then exit 1; fi
    requests=$(sed -nE 's/ *([0-9]+) requests in.*/\1/p' "$work/wrk")
    echo "$1 $(((after - before) * 10000)) $requests" | awk '{ print $1, $2 / $3, $3 }'
}

for round in $(seq 0 $((rounds - 1))); do
    for label in $(in_turn "$round" "${labels[@]}"); do undisturbed measure "$label" >> "$work/results"; done
done

about
echo "$connections connections, $path, $rounds rounds of $seconds s"
by_label "${labels[@]}" < "$work/results" | table "us CPU/req" requests
