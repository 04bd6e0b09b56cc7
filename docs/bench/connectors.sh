#!/usr/bin/env bash
# Server CPU per request of the connectors beside Jetty's own, interleaved, under wrk (Debian's package wrk).
# Each server is a JVM of its own with one listener. Prints medians, and ratios to the first server.
#
# usage: docs/bench/connectors.sh [rounds [seconds [connections [path]]]]      after: mvn -DskipTests package
# JAVA names another JVM; JAVA_OPTIONS are given to each; SERVERS replaces the list, a line each: label listener options
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-7} seconds=${2:-5} connections=${3:-32} path=${4:-/hello}
java=${JAVA:-java}
servers=${SERVERS:-"stock stock
bio-platform bio --threads=platform
nio-adaptive nio --dispatch=adaptive
nio-selector nio --dispatch=selector"}
if [ -z "${SERVERS:-}" ] && "$java" -XshowSettings:properties -version 2>&1 |
        awk '/java.specification.version/ { exit !($3 >= 21) }'; then
    servers+=$'\nbio-virtual bio --threads=virtual'
fi

work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT

labels=()
while read -r label listener options; do
    off="--bio-port=-1 --nio-port=-1 --stock-port=-1"
    # shellcheck disable=SC2086
    "$java" ${JAVA_OPTIONS:-} -jar webapp/target/millrace.war $off "--$listener-port=0" $options \
        > "$work/$label.out" 2> "$work/$label.err" &
    pids+=($!)
    labels+=("$label")
done <<< "$servers"

url_of() {
    for _ in $(seq 300); do
        if grep -q listening "$work/$1.out"; then
            sed -n 's/.*listening on //p' "$work/$1.out"
            return
        fi
        sleep 0.1
    done
    cat "$work/$1.err" >&2
    return 1
}

# Ticks of user and system time; 10 ms each.
cpu_of() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

load() { wrk -t1 -c"$connections" -d"$2" "$1$path"; }

for i in "${!labels[@]}"; do
    # The first seconds of a JVM cost several times its later ones.
    load "$(url_of "${labels[$i]}")" "${WARM_UP_SECONDS:-15}" > /dev/null
done
for _ in $(seq "$rounds"); do
    for i in "${!labels[@]}"; do
        url=$(url_of "${labels[$i]}")
        before=$(cpu_of "${pids[$i]}")
        load "$url" "$seconds" > "$work/wrk"
        after=$(cpu_of "${pids[$i]}")
        if grep -E 'Socket errors|Non-2xx' "$work/wrk"; then exit 1; fi
        requests=$(sed -nE 's/ *([0-9]+) requests in.*/\1/p' "$work/wrk")
        echo "${labels[$i]} $requests $((after - before))" >> "$work/results"
    done
done

echo "$("$java" -version 2>&1 | sed -n 2p); Linux $(uname -r); $(nproc) cores; commit $(git rev-parse --short HEAD)"
echo "$connections connections, $path, $rounds rounds of $seconds s"
sort -s -k1,1 "$work/results" | awk -v order="${labels[*]}" '
    { n[$1]++; us[$1, n[$1]] = $3 * 10000 / $2; rps[$1, n[$1]] = $2 }
    function median(a, label, k,    i, j, t, v) {
        for (i = 1; i <= k; i++) v[i] = a[label, i]
        for (i = 2; i <= k; i++) for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        low = v[1]; high = v[k]
        return k % 2 ? v[(k + 1) / 2] : (v[k / 2] + v[k / 2 + 1]) / 2
    }
    END {
        count = split(order, label, " ")
        printf "%-14s %10s %18s %8s %12s\n", "server", "us CPU/req", "(least - most)", "ratio", "requests"
        for (l = 1; l <= count; l++) {
            m = median(us, label[l], n[label[l]]); a = low; b = high
            if (l == 1) base = m
            printf "%-14s %10.2f %8.2f - %7.2f %8.2f %12d\n", label[l], m, a, b, m / base, median(rps, label[l], n[label[l]])
        }
    }'
