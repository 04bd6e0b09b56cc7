#!/usr/bin/env bash
# What a burst of clients waits for: 300, 1,000 and 5,000 connect at once, and ask for a file of 808 bytes. Prints the medians of the
# time in ms after which 50, 99 and 100 % of them have the first byte, and those that have none after 20 s. All servers have the defaults
# of their connectors, and are warm: they have had 20,000 connections, and their compilers rest. Needs a C compiler, wrk, nginx, and
# `ulimit -n` of 6,000 or more.
#
# usage: docs/bench/bursts.sh [rounds [clients...]]      after: mvn -DskipTests package
# A server serves WARM_UP_SECONDS (10) before the first burst. JAVA names another JVM, JAVA_OPTIONS its options; SERVERS replaces the list,
# a line each: label, nginx or a peer, options
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-5} warm_up=${WARM_UP_SECONDS:-10}
shift $(($# < 1 ? $# : 1))
[ $# -gt 0 ] || set -- 300 1000 5000
needs "$peers"
[ "$(ulimit -n)" = unlimited ] || [ "$(ulimit -n)" -ge 6000 ] || fail "ulimit -n is $(ulimit -n), 6000 are needed"
cc -O2 -o "$work/burst" docs/bench/burst.c
mkdir "$work/files"
head -c 808 /dev/zero > "$work/files/a.bin"
servers=${SERVERS:-"nginx nginx
jetty jetty
nio-adaptive millrace-handler
nio-selector millrace-handler --dispatch=selector
bio-platform millrace-handler --connector=bio --threads=platform"}
if [ -z "${SERVERS:-}" ] && has_virtual_threads; then
    servers+=$'\nbio-virtual millrace-handler --connector=bio --threads=virtual'
fi
names=$(awk '{ print $1 }' <<< "$servers")
while read -r label peer options; do
    # shellcheck disable=SC2086
    start_peer "$label" "$work/files" "$peer" $options
    url_of "$label" > /dev/null
done <<< "$servers"

# burst LABEL CLIENTS: "label p99 p50 max failed"
burst() {
    local url p50 p99 max failed
    url=$(url_of "$1")
    read -r p50 p99 max failed < <("$work/burst" "${url##*:}" /files/a.bin "$2")
    echo "$1 $p99 $p50 $max $failed"
}

# A JVM compiles what runs once per connection after thousands of them. It does so on the cores that are to serve, where it takes half of
# the CPU time of such a burst.
for label in $names; do
    wrk -t1 -c32 -d"$warm_up" "$(url_of "$label")/files/a.bin" > /dev/null
    for _ in 1 2 3 4; do
        for _ in 1 2 3 4 5; do burst "$label" 1000 > /dev/null; done
        await_rest "$label"
    done
done
about
echo "net.core.somaxconn $(cat /proc/sys/net/core/somaxconn)"
for clients in "$@"; do
    echo "$clients clients at once"
    for round in $(seq "$rounds"); do
        # shellcheck disable=SC2086
        for label in $(in_turn "$round" $names); do
            burst "$label" "$clients"
            sleep 1
        done
    # shellcheck disable=SC2086
    done | by_label $names | table "99 % ms" "50 % ms" "100 % ms" failed
done
