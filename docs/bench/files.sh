#!/usr/bin/env bash
# Server CPU of file downloads, beside nginx and other servers, interleaved: each round measures every server once, in another order.
# Prints medians, and ratios to the first server. Needs gcc, and nginx (Debian's packages gcc, nginx-light).
#
# usage: docs/bench/files.sh [rounds [seconds [workload...]]]      after: mvn -DskipTests package
#   small      a file of 808 bytes, 32 connections: us per request; all others ms per GB (10^9 bytes)
#   hot64k     one file of 64 KiB, 32 connections
#   hot1m      one file of 1 MiB, 16 connections
#   hot100m    one file of 100 MiB, 4 connections
#   random1m   2,000 files of 1 MiB drawn at random, 16 connections: more than the processor's caches hold; RANDOM_BYTES has other sizes, in turn
#   slow       300 clients of 1 MB/s each by the load client, files of 1 KiB to 100 MiB
#   slow-tls   the same over TLS, of servers that can; needs openssl and wrk. The client's third window counts: in the first one its own
#              decrypting is not compiled, and takes both processors. A window begins 4 s behind its clients: their 300 handshakes at once
#              take the client a second and more, which is the first byte of their first downloads. All of those but the largest have ended
# Each server serves WARM_UP_SECONDS (15) of a workload before its first round, and before that as long of the small file: a JVM compiles
# what ran ten thousand times, which large files alone take minutes to come to; it opens 4,000 connections besides. slow is warmed by clients of 3 MB/s. CONNECTIONS replaces the number of connections or clients.
# JAVA names another JVM; JAVA_OPTIONS (-Xmx256m) are given to each. The files are made in DATA_DIR (/dev/shm, or the
# temporary directory when there is not enough memory) and removed afterwards.
# SERVERS replaces the list, a line each: label, nginx or a peer of millrace-peers.jar, options; of nginx: off, for one without tcp_nopush.
# A peer called native is NativeFiles.java on JDK 22 or newer, with one of its ways: transfer, sendfile, more, more-transfer, cork, memory
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-5} seconds=${2:-5} warm_up=${WARM_UP_SECONDS:-15}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- small hot64k hot1m hot100m random1m slow
needs "$peers"
servers=${SERVERS:-"nginx nginx
handler-selector millrace-handler --dispatch=selector
handler-adaptive millrace-handler --dispatch=adaptive
servlet-selector millrace-servlet --dispatch=selector
servlet-adaptive millrace-servlet --dispatch=adaptive
default-selector millrace-default --dispatch=selector
handler-bio millrace-handler --connector=bio
jetty-handler jetty
jetty-servlet jetty-servlet
tomcat tomcat
undertow undertow"}
if [ -z "${SERVERS:-}" ] && has_helidon; then
    servers+=$'\nhelidon helidon'
fi

needed_mb() {
    local total=300 workload
    for workload in "$@"; do [ "$workload" != random1m ] || total=2300; done
    echo "$total"
}

# Room in /dev/shm is memory, which the servers need too.
place_for() {
    local available
    available=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
    if [ -n "${DATA_DIR:-}" ]; then
        echo "$DATA_DIR"
    elif [ "$available" -gt $(($1 + 8000)) ] && [ "$(df -m --output=avail /dev/shm | tail -1)" -gt "$1" ]; then
        echo /dev/shm
    else
        echo "${TMPDIR:-/tmp}"
    fi
}

data=
clean_up() { [ -z "$data" ] || rm -rf "$data"; }
place=$(place_for "$(needed_mb "$@")")
[ "$(df -m --output=avail "$place" | tail -1)" -gt "$(needed_mb "$@")" ] || fail "not enough room in $place"
data=$(mktemp -d "$place/millrace-files.XXXXXX")

make_file() { [ -e "$data/$1" ] || head -c "$2" /dev/urandom > "$data/$1"; }

make_files() {
    local i name sizes
    case $1 in
        small) make_file 808.bin 808 ;;
        hot64k) make_file 64k.bin 65536 ;;
        hot1m) make_file 1m.bin 1048576 ;;
        hot100m) make_file 100m.bin 104857600 ;;
        random1m)
            mkdir -p "$data/random"
            read -ra sizes <<< "${RANDOM_BYTES:-1048576}"
            for i in $(seq 0 1999); do make_file "random/$i.bin" "${sizes[i % ${#sizes[@]}]}"; done ;;
        slow | slow-tls)
            needs "$client"
            mkdir -p "$data/mixed"
            for name in 1K 200K 500K 1M 20M 100M; do make_file "mixed/$name.bin" "$name"; done
            (cd "$data/mixed" && for name in *.bin; do
                echo "{\"name\":\"$name\",\"size\":$(stat -c %s "$name"),\"md5\":\"$(md5sum < "$name" | cut -c1-32)\"}"
            done | paste -sd, | sed 's/.*/{"files":[&]}/' > catalog.json) ;;
        *) fail "no workload $1" ;;
    esac
}

connections_of() {
    case $1 in
        small | hot64k) echo "${CONNECTIONS:-32}" ;;
        hot100m) echo "${CONNECTIONS:-4}" ;;
        slow | slow-tls) echo "${CONNECTIONS:-300}" ;;
        *) echo "${CONNECTIONS:-16}" ;;
    esac
}

# drain_from LABEL WORKLOAD SECONDS
drain_from() {
    local port
    port=$(url_of "$1")
    port=${port##*:}
    case $2 in
        small) set -- "$3" "$2" /files/808.bin ;;
        hot64k) set -- "$3" "$2" /files/64k.bin ;;
        hot1m) set -- "$3" "$2" /files/1m.bin ;;
        hot100m) set -- "$3" "$2" /files/100m.bin ;;
        random1m) set -- "$3" "$2" /files/random/%d.bin 2000 ;;
    esac
    # shellcheck disable=SC2086
    "$work/drain" "$port" "$3" "$(connections_of "$2")" "$1" ${4:-}
}

# Segments with data that this machine has sent.
segments() { awk '/^TcpExt:/ { if (!line++) for (i = 1; i <= NF; i++) at[$i] = i; else print $at["TCPOrigDataSent"] }' /proc/net/netstat; }

# measure_drain LABEL WORKLOAD: cost, MB/s, requests/s, segments of an answer (the request is one more)
measure_drain() {
    local before after sent
    before=$(cpu_of "$1")
    sent=$(segments)
    drain_from "$1" "$2" "$seconds" > "$work/drained"
    sent=$(($(segments) - sent))
    after=$(cpu_of "$1")
    # requests N bytes N seconds S
    awk '{ exit !$4 }' "$work/drained" || fail "$1 sent nothing for $seconds s"
    awk -v label="$1" -v ticks=$((after - before)) -v workload="$2" -v sent="$sent" '{
        if (workload == "small") cost = ticks * 10000 / $2; else cost = ticks * 10 / ($4 / 1e9)
        print label, cost, $4 / $6 / 1e6, $2 / $6, sent / $2 - 1
    }' "$work/drained"
}

# download_from LABEL SECONDS WARM_UP_SECONDS BYTES_PER_SECOND: the load client's results in $work/run. The server's CPU is read by the client, of the
# window alone: of the process that was started, and of those below it.
download_from() {
    local url
    url=$(url_of "$1")
    rm -rf "$work/run"
    "$java" -jar "$client" download -c "$(connections_of slow)" "--limit-rate=$4" --verify=length \
        "--mix=${MIX:-1K:4,200K:4,500K:4,1M:4,20M:2,100M:1}" -d "$2s" --warmup="$3s" --drain=0s --progress=none \
        ${trust:+"--cacert=$trust" --repeat=3} --server-pid="${pids[$1]}" -o "$work/run" "$url/files/mixed/" > "$work/run.out" 2>&1 ||
        { cat "$work/run.out" >&2; return 1; }
}

# measure_slow LABEL: cost, MB/s, first byte in ms at 99 %
measure_slow() {
    download_from "$1" "$seconds" "$([ -z "$trust" ] && echo 2 || echo 4)" 1000000
    cell "$work/run" server_ms_per_gb mb_per_s first_byte_p99_us |
        awk -v label="$1" 'NF < 3 { exit 1 } { print label, $1, $2, $3 / 1000 }' || fail "$1: no CPU time, or fewer than 100 downloads, which have no 99 %"
}

warm_up() {
    if [ "$2" = slow-tls ]; then
        wrk -t 1 -c 32 -d "$warm_up" "$(url_of "$1")/files/808.bin"
        for _ in 1 2 3 4; do wrk -t 1 -c 300 -d 1 "$(url_of "$1")/files/808.bin"; done
        download_from "$1" "$warm_up" 1 3000000
        return
    fi
    [ "$2" = small ] || drain_from "$1" small "$warm_up"
    # What runs once per connection is compiled after thousands of them, as in a server that has been up for a while: see connectors.sh.
    for _ in 1 2 3 4; do CONNECTIONS=1000 drain_from "$1" small 1; done
    # Clients of 1 MB/s make 50 requests a second: faster ones, slow all the same, have the same path compiled sooner.
    if [ "$2" = slow ]; then download_from "$1" "$warm_up" 1 3000000; else drain_from "$1" "$2" "$warm_up"; fi
}

run() {
    local workload=$1 label peer options round start=start_peer trust=
    make_files small
    make_files "$workload"
    [ "$workload" != slow-tls ] || { make_key; start=start_tls_peer trust=$work/cert.pem; }
    while read -r label peer options; do
        # shellcheck disable=SC2086
        $start "$label" "$data" "$peer" $options
    done <<< "$servers"
    for label in "${labels[@]}"; do
        warm_up "$label" "$workload" > /dev/null
    done
    : > "$work/results"
    for round in $(seq 0 $((rounds - 1))); do
        for label in $(in_turn "$round" "${labels[@]}"); do
            case $workload in
                slow*) undisturbed measure_slow "$label" ;;
                *) undisturbed measure_drain "$label" "$workload" ;;
            esac >> "$work/results"
        done
    done
    echo
    echo "$workload: $(connections_of "$workload") connections, $rounds rounds of $seconds s after $warm_up s, files in $place"
    by_label "${labels[@]}" < "$work/results" | case $workload in
        small) table "us CPU/req" MB/s requests/s segments ;;
        slow*) table "ms CPU/GB" MB/s "first p99 ms" ;;
        *) table "ms CPU/GB" MB/s requests/s segments ;;
    esac
    stop_all
}

gcc -O2 -Wall -o "$work/drain" docs/bench/drain.c
about
for workload in "$@"; do run "$workload"; done
