#!/usr/bin/env bash
# How often loadclient says of one server that it differs from itself: two nginx on two ports are measured together, and each run
# compares them until it is decided or the budget is spent. The machine may be busy: BUSY=N runs that many loops beside it.
# Both servers run on the processors SERVER_CPUS (0): one of two may cost a server a fifth more, for seconds.
# SLOW_PATTERNS=N: the second one looks through each request with N regular expressions, and must come out worse or undecided.
#
# usage: docs/bench/same.sh [runs [budget [window [connections]]]]       after: mvn -DskipTests package; needs nginx
# The last lines count the verdicts. The exit code is 1 if a run says what is not so.
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
runs=${1:-20} budget=${2:-3m} window=${3:-2s} connections=${4:-8} patterns=${SLOW_PATTERNS:-0}
export SERVER_CPUS=${SERVER_CPUS-0}
needs "$client"
command -v nginx > /dev/null || fail "nginx is not installed"
busy=()
clean_up() { for pid in "${busy[@]}"; do kill "$pid" 2> /dev/null || true; done; }

mkdir "$work/www"
start a docs/bench/nginx.sh 0 "$work/www"
NGINX_PATTERNS=$patterns start b docs/bench/nginx.sh 0 "$work/www"
a=$(url_of a)/hello b=$(url_of b)/hello
for ((i = 0; i < ${BUSY:-0}; i++)); do
    while :; do :; done &
    busy+=($!)
done
for ((run = 1; run <= runs; run++)); do
    "$java" -jar "$client" http --together --budget "$budget" --warmup 200ms --duration "$window" -c "$connections" --label "a,b" \
        --progress none "$a" "$b" 2> "$work/run" | tail -1 | tee -a "$work/verdicts" || true
    echo "    rounds: $(($(grep -c ' | err ' "$work/run") / 2))"
done
[ "$(grep -c '^verdict: ' "$work/verdicts")" = "$runs" ] || { cat "$work/run" >&2; fail "a run has no verdict"; }
for verdict in worse better 'no difference' undecided; do
    echo "$verdict: $(grep -c "^verdict: $verdict " "$work/verdicts" || true)"
done
wrong='worse\|better'
[ "$patterns" = 0 ] || wrong='no difference\|better'
! grep -q "^verdict: \($wrong\)" "$work/verdicts"
