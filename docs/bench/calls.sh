#!/usr/bin/env bash
# What the system calls of an answer with a file cost by themselves: calls.c, which parses and decides nothing, beside nginx. Prints medians, and ratios to nginx.
# Needs gcc, and nginx (Debian's packages gcc, nginx-light).
#
# usage: docs/bench/calls.sh [rounds [seconds [bytes [connections]]]]
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-7} seconds=${2:-3} bytes=${3:-65536} connections=${4:-32}

gcc -O2 -Wall -o "$work/drain" docs/bench/drain.c
gcc -O2 -Wall -o "$work/calls" docs/bench/calls.c
data=$(mktemp -d "/dev/shm/millrace-calls.XXXXXX")
clean_up() { rm -rf "$data"; }
head -c "$bytes" /dev/urandom > "$data/file.bin"

start nginx docs/bench/nginx.sh 0 "$data"
for way in cork more java gather; do start "$way" "$work/calls" "$data/file.bin" "$way"; done

drain_from() {
    local port
    port=$(url_of "$1")
    "$work/drain" "${port##*:}" /files/file.bin "$connections" "$2"
}

measure() {
    local before after
    before=$(cpu_of "$1")
    drain_from "$1" "$seconds" > "$work/drained"
    after=$(cpu_of "$1")
    awk -v label="$1" -v ticks=$((after - before)) '{ print label, ticks * 10 / ($4 / 1e9), ticks * 10000 / $2, $4 / $6 / 1e6 }' "$work/drained"
}

for label in "${labels[@]}"; do drain_from "$label" 1 > /dev/null; done
for round in $(seq 0 $((rounds - 1))); do
    for label in $(in_turn "$round" "${labels[@]}"); do undisturbed measure "$label" >> "$work/results"; done
done

about
echo "$bytes bytes, $connections connections, $rounds rounds of $seconds s"
by_label "${labels[@]}" < "$work/results" | table "ms CPU/GB" "us CPU/answer" MB/s
