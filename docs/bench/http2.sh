#!/usr/bin/env bash
# Server CPU per request over HTTP/2 without TLS, the connectors beside Jetty's own, interleaved, under h2load (Debian's package
# nghttp2-client): a servlet that answers 13 bytes. Each server is a JVM of its own. Prints medians, and ratios to the first server.
#
# usage: docs/bench/http2.sh [rounds [requests [connections [streams of each]]]]      after: mvn -DskipTests package
# JAVA names another JVM; JAVA_OPTIONS are given to each; SERVERS replaces the list, a line each: label, a peer on Jetty, options
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-7} requests=${2:-60000} connections=${3:-32} streams=${4:-4}
needs "$peers"
servers=${SERVERS:-"stock jetty-servlet
bio-platform millrace-servlet --connector=bio --threads=platform
nio-adaptive millrace-servlet --dispatch=adaptive
nio-selector millrace-servlet --dispatch=selector"}
if [ -z "${SERVERS:-}" ] && has_virtual_threads; then
    servers+=$'\nbio-virtual millrace-servlet --connector=bio --threads=virtual'
fi

while read -r label peer options; do
    # shellcheck disable=SC2086
    start_peer "$label" "$work" "$peer" --http2 $options
done <<< "$servers"

load() { h2load -n "$2" -c "$connections" -m "$streams" "$(url_of "$1")/hello" > "$work/h2load"; }

measure() {
    local before after
    before=$(cpu_of "$1")
    load "$1" "$requests"
    after=$(cpu_of "$1")
    grep -q "^requests: .* $requests succeeded, 0 failed, 0 errored" "$work/h2load" || { grep '^requests:' "$work/h2load" >&2; exit 1; }
    echo "$1 $(((after - before) * 10000)) $requests $(sed -nE 's/^finished in .*, ([0-9.]+) req\/s.*/\1/p' "$work/h2load")" |
        awk '{ print $1, $2 / $3, $4 }'
}

# The first seconds of a JVM cost several times its later ones.
for label in "${labels[@]}"; do
    load "$label" "${WARM_UP_REQUESTS:-300000}"
    await_rest "$label"
    load "$label" "$requests"
    await_rest "$label"
done
for round in $(seq 0 $((rounds - 1))); do
    for label in $(in_turn "$round" "${labels[@]}"); do undisturbed measure "$label" >> "$work/results"; done
done

about
echo "$requests requests by $connections connections of $streams streams, $rounds rounds"
by_label "${labels[@]}" < "$work/results" | table "us CPU/req" "requests/s"
