#!/usr/bin/env bash
# What requests for a hot file wait for while others download files that are on the disk and not in memory. The hot file has 808 bytes
# and 1,000 requests a second by 8 clients of the load client, which counts from the moment at which a request was due. Prints the
# 99 % of their latency beside downloads of cold files, as a multiple of what it is alone and beside as many downloads of hot files;
# then all three, and the MB that the server read from the disk. Needs nginx and python3.
#
# usage: docs/bench/cold.sh [rounds [seconds [tls]]]      after: mvn -DskipTests package
# tls: all of it over TLS, which needs openssl.
# DOWNLOADS (8) clients take DOWNLOAD_RATE (10000000) bytes per second each, of 200 files of 8 MiB. These lie in DATA_DIR (the temporary
# directory), which must be on a disk. Each server serves WARM_UP_SECONDS (15) of each kind first; a JVM gets quicker for about 45.
# JAVA names another JVM; JAVA_OPTIONS (-Xmx256m) are given to each. SERVERS replaces the list, a line each: label, nginx, nginx-aio (with aio threads) or a peer,
# options.
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-5} seconds=${2:-5} warm_up=${WARM_UP_SECONDS:-15} start=start_peer trust=()
needs "$peers"
needs "$client"
servers=${SERVERS:-"nginx nginx
nginx-aio nginx-aio
jetty jetty
nio-adaptive millrace-handler
nio-selector millrace-handler --dispatch=selector
bio millrace-handler --connector=bio"}

data=$(mktemp -d "${DATA_DIR:-${TMPDIR:-/tmp}}/millrace-cold.XXXXXX")
downloads=
clean_up() {
    [ -z "$downloads" ] || kill "$downloads" 2> /dev/null || true
    rm -rf "$data"
}
[ "$(stat -f -c %T "$data")" != tmpfs ] || fail "$data is in memory: DATA_DIR names a directory on a disk"
[ "$(df -m --output=avail "$data" | tail -1)" -gt 2000 ] || fail "not enough room in $data"

# Bytes that the server's processes have had read from the disk.
disk_bytes() { for pid in $(tree_of "${pids[$1]}"); do cat "/proc/$pid/io"; done | awk '/^read_bytes/ { sum += $2 } END { printf "%.0f\n", sum }'; }

# p99 LABEL SECONDS: sets p99_us, of the requests for the hot file
p99() {
    rm -rf "$work/run"
    "$java" -jar "$client" http -c 8 --rate 1000 -d "$2s" --warmup 500ms --progress none "${trust[@]}" -o "$work/run" "$(url_of "$1")/files/hot.bin" \
        > "$work/run.out" 2>&1 || [ $? = 3 ] || { cat "$work/run.out" >&2; fail "requests to $1 failed"; }
    p99_us=$(cell "$work/run" latency_p99_us)
    [ -n "$p99_us" ] || fail "$1: fewer than 100 requests for the hot file have no 99 %"
}

# beside LABEL cold|hot SECONDS: the same while files are downloaded
beside() {
    local url
    url=$(url_of "$1")
    python3 docs/bench/cold.py "${url##*:}" "$data/cold" "${DOWNLOADS:-8}" "${DOWNLOAD_RATE:-10000000}" "$2" "${trust[@]:1}" > "$work/downloads" & downloads=$!
    p99 "$1" "$3"
    kill "$downloads" 2> /dev/null || true
    wait "$downloads" || fail "downloads from $1 failed"
    downloads=
    [ "$(sed -n 's/^files //p' "$work/downloads")" -gt 0 ] || fail "nothing was downloaded from $1"
}

# measure LABEL SECONDS
measure() {
    local alone hot before
    p99 "$1" "$2"
    alone=$p99_us
    beside "$1" hot "$2"
    hot=$p99_us
    before=$(disk_bytes "$1")
    beside "$1" cold "$2"
    echo "$1 $alone $hot $p99_us $(($(disk_bytes "$1") - before))" | awk '{ print $1, $4 / $2, $4 / $3, $2 / 1000, $3 / 1000, $4 / 1000, $5 / 1e6 }'
}

head -c 808 /dev/urandom > "$data/hot.bin"
mkdir "$data/cold"
for i in $(seq 200); do head -c 8388608 /dev/urandom > "$data/cold/$i.bin"; done
# Pages that are yet to be written cannot be dropped.
sync -f "$data"
[ "${3:-}" != tls ] || { make_key; start=start_tls_peer trust=(--cacert "$work/cert.pem"); }
while read -r label peer options; do
    # shellcheck disable=SC2086
    case $peer in
        nginx-aio) NGINX_AIO=threads $start "$label" "$data" nginx ;;
        *) $start "$label" "$data" "$peer" $options ;;
    esac
done <<< "$servers"
for label in "${labels[@]}"; do measure "$label" "$warm_up" > /dev/null; done
: > "$work/results"
for round in $(seq 0 $((rounds - 1))); do
    for label in $(in_turn "$round" "${labels[@]}"); do undisturbed measure "$label" "$seconds" >> "$work/results"; done
done
about
echo "cold${3:+ over $3}: ${DOWNLOADS:-8} downloads of ${DOWNLOAD_RATE:-10000000} bytes/s, $rounds rounds of $seconds s after $warm_up s, files in $data"
by_label "${labels[@]}" < "$work/results" | table "cold/alone" "cold/hot" "alone ms" "hot ms" "cold ms" "disk MB"
