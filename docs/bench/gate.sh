#!/usr/bin/env bash
# Fails when a change costs more than some per cent of the server's CPU per request. For a CI job: docs/examples/performance.yml.
#
# usage: docs/bench/gate.sh BEFORE AFTER        after: mvn -DskipTests package (the load client alone is enough)
# BEFORE and AFTER are commands that start the server on BEFORE_URL and AFTER_URL. Both are started anew for each of REPEAT (8)
# repetitions, and measured in one window of WINDOW (3s) after WARM_UP (1s; a JVM needs 15s, more beside another on one processor) with
# CLIENTS (8), who take turns. Let both commands begin with `exec taskset -c 0`, or other processors: on different ones the same server may
# cost a fifth more.
# The job fails if the whole interval of the ratio lies beyond PERCENT (10), if answers are wrong, or if no repetition is sound or has the
# CPU of both. An interval that only reaches across PERCENT passes: a gate that fails by chance is switched off.
# OUT (out) gets junit.xml, comparison.md for a comment on the pull request, comparison.json and the report.
# MAX_OTHER is the part of the machine in per cent beyond which other processes make a window invalid (default: any).
set -euo pipefail
[ $# = 2 ] || { sed -n 's/^# \{0,1\}//; 4,12p' "$0" >&2; exit 2; }
java=${JAVA:-java} client=${CLIENT:-$(dirname "$0")/../../loadclient/target/loadclient.jar} out=${OUT:-out}
limit=()
[ -z "${MAX_OTHER:-}" ] || limit=("--max-other=$MAX_OTHER")

# A run that is refused writes nothing, and exits 3 too. What was here before would be compared in its place.
rm -f "$out/run.json" "$out/junit.xml" "$out/comparison.json" "$out/comparison.md"
measured=0
"$java" -jar "$client" http -q --together "--clients=${CLIENTS:-8}" "--duration=${WINDOW:-3s}" "--warmup=${WARM_UP:-1s}" \
    "--repeat=${REPEAT:-8}" --order=abba --label=before,after --server-cmd "$1" --server-cmd "$2" "${limit[@]}" \
    -o "$out" --junit "$out/junit.xml" "$BEFORE_URL" "$AFTER_URL" || measured=$?
# 3: a disturbed window is left out of the comparison, if there are others.
[ "$measured" = 0 ] || [ "$measured" = 3 ] || exit "$measured"

"$java" -jar "$client" compare --metric=cpu "--threshold=${PERCENT:-10}" \
    --json "$out/comparison.json" --markdown "$out/comparison.md" "$out#before" "$out#after"
