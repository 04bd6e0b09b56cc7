#!/usr/bin/env bash
# Checks gate.sh itself: it must pass ROUNDS (20) times on the same server twice, and fail on one that is slowed down. Needs nginx.
#
# usage: docs/bench/gate-check.sh [rounds [from]]        after: mvn -DskipTests -pl loadclient package
# The slowed server looks through its request with SLOW_PATTERNS (60) regular expressions before it answers.
# A round counts from FROM (1): long checks may be cut in parts.
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-20} from=${2:-1} patterns=${SLOW_PATTERNS:-60}
nginx="exec taskset -c ${SERVER_CPUS:-0} nginx -c"
needs "$client"
type nginx > /dev/null || fail "no nginx here"

# server NAME PORT NUMBER: the configuration of an nginx with so many patterns
server() {
    local i temporary
    temporary=$(for i in client_body proxy fastcgi uwsgi scgi; do echo "${i}_temp_path $work/$1-$i;"; done)
    {
        echo "daemon off; master_process off; pid $work/$1.pid; error_log $work/$1.log;"
        echo "events { worker_connections 1024; }"
        echo "http { access_log off; keepalive_requests 1000000000; $temporary"
        echo "server { listen 127.0.0.1:$2; location / { default_type text/plain;"
        for i in $(seq "$3"); do echo "if (\$http_user_agent ~ \"(a|b|c)+x$i\$\") { return 404; }"; done
        echo "return 200 \"Hello, world\\n\"; } } }"
    } > "$work/$1.conf"
}
server same 28451 0
server again 28452 0
server slow 28453 "$patterns"

# gate NAME PORT
gate() {
    OUT=$work/out BEFORE_URL=http://127.0.0.1:28451/ AFTER_URL=http://127.0.0.1:$2/ REPEAT=${REPEAT:-8} WINDOW=${WINDOW:-2s} \
        WARM_UP=${WARM_UP:-200ms} docs/bench/gate.sh "$nginx $work/same.conf" "$nginx $work/$1.conf" > "$work/gate.out" 2>&1
}
ratio() { sed -n '/server CPU/ { s/.*server CPU *//p; q; }' "$work/gate.out"; }

if [ "$from" = 1 ]; then
    if gate slow 28453; then cat "$work/gate.out"; fail "the slowed server passed"; fi
    grep -q worse "$work/gate.out" || { cat "$work/gate.out"; fail "it failed for another reason"; }
    echo "slowed: failed, server CPU $(ratio)"
fi
if [ "$from" = 1 ]; then
    gate again 28452 || { cat "$work/gate.out"; fail "it failed on the same server"; }
    if CLIENTS=100000 gate again 28452; then cat "$work/gate.out"; fail "a run that was refused passed on the one before"; fi
    echo "refused: failed"
fi
for round in $(seq "$from" "$rounds"); do
    gate again 28452 || { cat "$work/gate.out"; fail "round $round failed on the same server"; }
    echo "same $round: passed, server CPU $(ratio)"
done
