#!/usr/bin/env bash
# Server CPU per request over TLS, servers beside each other, interleaved: HTTP/1.1 under wrk, HTTP/2 under h2load (Debian's packages wrk
# and nghttp2-client). Prints medians, and ratios to the first server. Decrypting costs the client as much as encrypting does the
# server, and they share the machine: throughput says nothing here. Needs nginx (nginx-light) and openssl too, and python3 for idle.
#
# usage: docs/bench/tls.sh [rounds [seconds [workload...]]]      after: mvn -DskipTests package
#   hello, small, 64k, 1m         https/1.1, 16 connections: 13 bytes, files of 808 bytes, 64 KiB and 1 MiB
#   random1m                      https/1.1, 16 connections: 2,000 files of 1 MiB in turn
#   h2-hello, h2-64k, h2-1m       HTTP/2 over TLS, 8 connections of 8 streams
#   full, resumed                 handshakes alone, by openssl s_time: us of CPU per handshake; resumed: TLS 1.2 with a session's ticket
#   idle                          KiB of live objects for each idle connection after one request, between 200 and 2,000; nginx has none.
#                                 Thousands of connections come before, for the stack of a virtual thread is larger while it is interpreted
# Each server serves WARM_UP_SECONDS (15) of a workload before its first round, and before a file of 1 MiB as long of 64 KiB: a JVM
# compiles what ran ten thousand times. Its compilers come to rest, before and after a round that does not count.
# Small answers of https/1.1 have WARM_UP_BURSTS (8) more, a second of 100 connections
# each. JAVA names another JVM; JAVA_OPTIONS (-Xmx256m) are given to each. SERVERS replaces the list, a line each: label, nginx or
# a peer on Jetty, options. The files are made in DATA_DIR (/dev/shm).
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-5} seconds=${2:-5} warm_up=${WARM_UP_SECONDS:-15}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- hello small 64k 1m h2-hello h2-64k h2-1m
needs "$peers"
servers=${SERVERS:-"nginx nginx
jetty jetty
nio-selector millrace-handler --dispatch=selector
nio-adaptive millrace-handler --dispatch=adaptive
bio millrace-handler --connector=bio"}

data=$(mktemp -d "${DATA_DIR:-/dev/shm}/millrace-tls.XXXXXX")
holder=
clean_up() {
    [ -z "$holder" ] || kill "$holder" 2> /dev/null || true
    rm -rf "$data"
}

make_files() {
    local i
    [ -e "$data/808.bin" ] || {
        head -c 808 /dev/urandom > "$data/808.bin"
        head -c 65536 /dev/urandom > "$data/64k.bin"
        head -c 1048576 /dev/urandom > "$data/1m.bin"
    }
    [ "$1" != random1m ] || [ -e "$data/random" ] || {
        mkdir "$data/random"
        for i in $(seq 0 1999); do head -c 1048576 /dev/urandom > "$data/random/$i.bin"; done
    }
}

path_of() {
    case ${1#h2-} in
        hello | full | resumed) echo /hello ;;
        small) echo /files/808.bin ;;
        random1m) echo /files/random/0.bin ;;
        *) echo "/files/${1#h2-}.bin" ;;
    esac
}

# load LABEL WORKLOAD SECONDS: prints how many requests were answered
load() {
    local url
    url=$(url_of "$1")
    case $2 in
        h2-*) h2load -D "$3" -c 8 -m 8 -t 1 "$url$(path_of "$2")" > "$work/load"
            grep -q ' 0 failed, 0 errored' "$work/load" || fail "$(grep '^requests:' "$work/load")"
            sed -nE 's/^requests: .* ([0-9]+) succeeded.*/\1/p' "$work/load" ;;
        full | resumed) handshakes "${url#https://}" "$2" "$3" ;;
        *) wrk -t 1 -c 16 -d "$3" -s "$work/turn.lua" "$url$(path_of "$2")" -- "$2" > "$work/load"
            ! grep -Eq 'Non-2xx|Socket errors' "$work/load" || fail "$(grep -E 'Non-2xx|Socket errors' "$work/load")"
            sed -nE 's/^ *([0-9]+) requests in .*/\1/p' "$work/load" ;;
    esac
}

# What runs once per connection is compiled after thousands of them, as in a server that has been up for a while: above all the frames
# below a thread's loop, which a virtual thread carries along at each wait. Each connection costs a full handshake.
connect_often() {
    case $2 in hello | small | 64k) ;; *) return 0 ;; esac
    for _ in $(seq "${WARM_UP_BURSTS:-8}"); do wrk -t 1 -c 100 -d 1 "$(url_of "$1")$(path_of "$2")" > /dev/null; done
}

# handshakes HOST:PORT full|resumed SECONDS
handshakes() {
    local kind=-new letter='\*'
    # With TLS 1.3 s_time would end each connection before its ticket comes.
    [ "$2" = full ] || kind="-tls1_2 -reuse" letter=r
    # shellcheck disable=SC2086
    openssl s_time -connect "$1" $kind -time "$3" > "$work/load" 2>&1 || fail "$(tail -1 "$work/load")"
    # s_time prints a letter for each connection: r where the session was resumed, an asterisk where it was new.
    grep -Eq "^$letter+\$" "$work/load" || fail "handshakes with $1 were not all $2"
    sed -nE 's/^([0-9]+) connections in [0-9]+ real seconds.*/\1/p' "$work/load"
}

# objects LABEL COUNT: sets bytes, of objects that live while so many idle connections are held
objects() {
    local url
    url=$(url_of "$1")
    python3 docs/bench/tls-hold.py "${url##*:}" "$2" > "$work/hold" & holder=$!
    until grep -q holding "$work/hold"; do kill -0 "$holder" 2> /dev/null || fail "$1 holds no $2 connections"; sleep 0.2; done
    # Ours give something up after two seconds without a request.
    sleep 5
    bytes=$(histogram "$1" | awk '$1 == "Total" { total = $3 } END { print total + 0 }')
    kill "$holder"
    wait "$holder" 2> /dev/null || true
    holder=
}

idle() {
    local few bytes
    objects "$1" 200
    few=$bytes
    objects "$1" 2000
    echo "$1 $few $bytes" | awk '{ print $1, ($3 - $2) / 1800 / 1024, $3 / 1024 / 1024 }'
}

measure() {
    local before after count
    before=$(cpu_of "$1")
    count=$(load "$1" "$2" "$seconds")
    after=$(cpu_of "$1")
    [ "${count:-0}" -gt 0 ] || fail "$1 answered nothing"
    echo "$1 $(((after - before) * 10000)) $count $seconds" | awk '{ print $1, $2 / $3, $3 / $4 }'
}

run() {
    local workload=$1 label peer options round
    make_files "$workload"
    while read -r label peer options; do
        # shellcheck disable=SC2086
        start_tls_peer "$label" "$data" "$peer" $options
    done <<< "$servers"
    : > "$work/results"
    if [ "$workload" = idle ]; then
        for label in "${labels[@]}"; do
            load "$label" hello "$warm_up" > /dev/null
            handshakes "$(url_of "$label" | sed 's#https://##')" full "$warm_up" > /dev/null
            await_rest "$label"
        done
        for round in $(seq "$rounds"); do
            for label in "${labels[@]}"; do idle "$label" >> "$work/results"; done
        done
        echo
        echo "idle: $rounds rounds"
        by_label "${labels[@]}" < "$work/results" | table "KiB/conn" "MiB in all"
        stop_all
        return
    fi
    for label in "${labels[@]}"; do
        case $workload in
            *1m) load "$label" "$(sed 's/random1m/1m/; s/1m/64k/' <<< "$workload")" "$warm_up" > /dev/null ;;
        esac
        load "$label" "$workload" "$warm_up" > /dev/null
        connect_often "$label" "$workload"
        await_rest "$label"
        load "$label" "$workload" "$seconds" > /dev/null
        await_rest "$label"
    done
    for round in $(seq 0 $((rounds - 1))); do
        for label in $(in_turn "$round" "${labels[@]}"); do undisturbed measure "$label" "$workload" >> "$work/results"; done
    done
    echo
    echo "$workload: $rounds rounds of $seconds s after $warm_up s"
    by_label "${labels[@]}" < "$work/results" | table "us CPU/req" "requests/s"
    stop_all
}

cat > "$work/turn.lua" << 'LUA'
local number = 0
function init(args) random = args[1] == "random1m" end
function request()
    if random then
        number = (number + 7) % 2000
        return wrk.format(nil, "/files/random/" .. number .. ".bin")
    end
    return wrk.format()
end
LUA
make_key
about
for workload in "$@"; do run "$workload"; done
