# shellcheck shell=bash
# For the scripts beside this one, which source it: starts servers, reads their CPU time, prints medians. JAVA names another JVM,
# JAVA_OPTIONS are given to each server.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
java=${JAVA:-java}
war=webapp/target/millrace.war
peers=peers/target/millrace-peers.jar
client=loadclient/target/loadclient.jar
work=$(mktemp -d)
labels=()
declare -A pids=()

# Called before the servers are gone; what else a script has left behind is its own to add.
clean_up() { :; }

# A JVM that has no memory left may not hear of the first signal.
stop_all() {
    local label
    for label in "${labels[@]}"; do kill "${pids[$label]}" 2> /dev/null || true; done
    for label in "${labels[@]}"; do
        timeout 30 tail --pid="${pids[$label]}" -f /dev/null || kill -9 "${pids[$label]}" 2> /dev/null || true
        wait "${pids[$label]}" 2> /dev/null || true
    done
    labels=()
    pids=()
}

trap 'clean_up; stop_all; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT

fail() { echo "$(basename "$0"): $1" >&2; exit 1; }

needs() { [ -e "$1" ] || fail "no $1 here: mvn -DskipTests package"; }

has_virtual_threads() {
    "$java" -XshowSettings:properties -version 2>&1 | awk '/java.specification.version/ { exit !($3 >= 21) }'
}

# Helidon is in the jar that a JDK 21 or newer has built: names in a jar are not compressed.
has_helidon() { has_virtual_threads && grep -q HelidonPeer "$peers"; }

# on_cpus CPUS COMMAND...: in place of the current shell; on these processors (taskset -c), or on all when CPUS is empty
on_cpus() {
    local cpus=$1
    shift
    if [ -n "$cpus" ]; then exec taskset -c "$cpus" "$@"; else exec "$@"; fi
}

# start LABEL COMMAND...: a server that prints the line "... listening on URL" when it is ready; on SERVER_CPUS if set
start() {
    local label=$1
    shift
    on_cpus "${SERVER_CPUS:-}" "$@" > "$work/$label.out" 2> "$work/$label.err" &
    pids[$label]=$!
    labels+=("$label")
}

# start_tls_peer LABEL DIRECTORY PEER [OPTION...]: with the key of make_key
start_tls_peer() {
    local label=$1 directory=$2 peer=$3
    shift 3
    if [ "$peer" = nginx ]; then NGINX_TLS=$work start_peer "$label" "$directory" nginx
    else start_peer "$label" "$directory" "$peer" "--tls=$work/key.p12" --http2 "$@"; fi
}

# start_peer LABEL DIRECTORY PEER [OPTION...]: of this tree; of the one in BEFORE if the label ends in -before
start_peer() {
    local label=$1 directory=$2 peer=$3 jar=$peers
    shift 3
    [[ $label != *-before ]] || jar=${BEFORE:?names the tree of $label}/$peers
    if [ "$peer" = nginx ]; then
        start "$label" docs/bench/nginx.sh 0 "$directory" "$@"
    elif [ "$peer" = native ]; then
        # It looks into the JDK for descriptors.
        start "$label" "$java" -Xmx256m --enable-native-access=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED \
            --add-opens java.base/java.io=ALL-UNNAMED docs/bench/NativeFiles.java "$directory" "$@"
    else
        # shellcheck disable=SC2086
        start "$label" "$java" ${JAVA_OPTIONS:--Xmx256m} -jar "$jar" "$peer" "--directory=$directory" "$@"
    fi
}

# A key of its own for each run: the same for all servers.
make_key() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$work/key.pem" -out "$work/cert.pem" 2> /dev/null
    openssl pkcs12 -export -inkey "$work/key.pem" -in "$work/cert.pem" -passout pass:measured -out "$work/key.p12"
}

url_of() {
    local _
    for _ in $(seq 300); do
        if grep -qs listening "$work/$1.out"; then
            sed -n 's/.*listening on //p' "$work/$1.out"
            return
        fi
        kill -0 "${pids[$1]}" 2> /dev/null || break
        sleep 0.1
    done
    cat "$work/$1.err" >&2
    return 1
}

# The process itself and all below it: a server may be a script, a master and its workers.
tree_of() {
    local child
    echo "$1"
    for child in $(cat "/proc/$1/task/$1/children" 2> /dev/null); do tree_of "$child"; done
}

# Ticks of user and system time, of processes that have ended too, which those below the first may at any time; 10 ms each.
cpu_of() {
    local pid
    for pid in $(tree_of "${pids[$1]}"); do cat "/proc/$pid/stat" 2> /dev/null || [ "$pid" != "${pids[$1]}" ]; done | sed 's/.*) //' |
        awk '{ ticks += $12 + $13 + $14 + $15 } END { print ticks }'
}

# histogram LABEL: the classes of a JVM's objects that live after a collection, and the total; nothing of nginx, which is no JVM. A JVM
# that does not answer, or has no jcmd beside it, is a failure: it would count as one without objects.
histogram() {
    local pid=${pids[$1]} jcmd
    ! grep -qaF nginx.sh "/proc/$pid/cmdline" || return 0
    jcmd=$(dirname "$(readlink -f "$(command -v "$java")")")/jcmd
    "$jcmd" "$pid" GC.class_histogram > "$work/histogram" 2>&1 && grep -q '^ *Total ' "$work/histogram" ||
        fail "$1 says nothing of its objects: $(tail -1 "$work/histogram")"
    cat "$work/histogram"
}

# await_rest LABEL: until its compilers have nothing left to do. They take the cores on which its load is to be served.
await_rest() {
    local before
    for _ in $(seq 30); do
        before=$(cpu_of "$1")
        sleep 1
        [ $(($(cpu_of "$1") - before)) -gt 2 ] || return 0
    done
    echo "$1 does not come to rest" >&2
}

# Ticks that the host of a virtual machine gave to others, and ticks of all kinds.
host_took() { awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print $9, all }' /proc/stat; }

# steal_since BEFORE: percent of the machine that the host has taken since
steal_since() { echo "$1 $(host_took)" | awk '{ print ($4 > $2 ? int(100 * ($3 - $1) / ($4 - $2)) : 0) }'; }

# Keeps all cores busy, a second at a time, until the host leaves them alone, for a minute and a half at most: it takes nothing from
# those that are idle.
await_quiet() {
    local before core spinners=()
    for _ in $(seq 90); do
        before=$(host_took)
        for core in $(seq "$(nproc)"); do timeout 1 bash -c 'while :; do :; done' & spinners[core]=$!; done
        for core in $(seq "$(nproc)"); do wait "${spinners[core]}" || true; done
        [ "$(steal_since "$before")" -ge "${MOST_STEAL_PERCENT:-10}" ] || return 0
    done
}

# undisturbed COMMAND...: what it prints; it runs again, five times at most, when the host took MOST_STEAL_PERCENT (10) or more of the
# machine meanwhile, which it says on the standard error stream.
undisturbed() {
    local try before percent status
    for try in 1 2 3 4 5; do
        before=$(host_took)
        # Under set -e a failure ends the script here, but for a caller who asked for the status.
        "$@" > "$work/measured"
        status=$?
        [ "$status" = 0 ] || return "$status"
        percent=$(steal_since "$before")
        [ "$percent" -ge "${MOST_STEAL_PERCENT:-10}" ] || break
        echo "the host took $percent % of the machine during \"$*\", attempt $try" >&2
        await_quiet
    done
    cat "$work/measured"
}

# cell RUN COLUMN...: those columns of the cell that the load client has measured last. Fields with commas in them are quoted (RFC 4180), and
# none of those is wanted here.
cell() {
    local table=$1/cells.csv
    shift
    awk -v names="$*" '
        { gsub(/"[^"]*"/, "quoted"); split($0, field, ",") }
        NR == 1 { for (i in field) at[field[i]] = i }
        NR > 1 { count = split(names, name, " "); for (i = 1; i <= count; i++) last[i] = field[at[name[i]]] }
        END { for (i = 1; i <= count; i++) printf "%s%s", last[i], i < count ? " " : "\n" }
    ' "$table"
}

about() {
    # Not every one is at home on a loopback interface: bbr paces there, which costs more than all the rest.
    local congestion=/proc/sys/net/ipv4/tcp_congestion_control
    echo "$("$java" -version 2>&1 | sed -n 2p); Linux $(uname -r); $(nproc) cores; $([ ! -r $congestion ] || cat $congestion); commit $(git rev-parse --short HEAD)"
}

# in_turn ROUND LABEL...: the labels, each round beginning with another one
in_turn() {
    local first=$(($1 % ($# - 1)))
    shift
    echo "${@:$((first + 1))}" "${@:1:$first}"
}

# table FIGURE [FIGURE...] < lines of "label value [value...]", the labels in their order and each label's rounds in theirs: medians; of the
# first figure also the least and the most, and the median of its ratios to the first label's in the same round: a machine that is slower
# for a while is so for all of a round. A label X beside which there is X-before has its ratio to that one, and a line that says where
# the middle half of these ratios lies.
table() {
    awk -v heads="$(IFS='|'; echo "$*")" '
    # What is asked for by its name alone would be there from then on.
    function divisor(base, f, i) { return base == "" ? 1 : (base, f, i) in value ? value[base, f, i] : 0 }
    function median(label, f, base,    i, j, t, k, v) {
        k = 0
        for (i = 1; i <= n[label]; i++)
            if ((label, f, i) in value && divisor(base, f, i)) v[++k] = value[label, f, i] / divisor(base, f, i)
        used = k
        if (!k) return low = high = first = third = "-"
        for (i = 2; i <= k; i++) for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
        low = v[1]; high = v[k]; first = v[int((k + 3) / 4)]; third = v[int((3 * k + 3) / 4)]
        return k % 2 ? v[(k + 1) / 2] : (v[k / 2] + v[k / 2 + 1]) / 2
    }
    function cell(x) { return x == "-" ? sprintf(" %12s", x) : sprintf(x == int(x) || x >= 1000 ? " %12.0f" : " %12.2f", x) }
    !($1 in n) { order[++count] = $1 }
    { n[$1]++; for (f = 2; f <= NF; f++) if ($f != "-") value[$1, f, n[$1]] = $f + 0 }
    END {
        figures = split(heads, head, "|")
        printf "%-18s %12s %22s %8s", "server", head[1], "(least - most)", "ratio"
        for (f = 2; f <= figures; f++) printf " %12s", head[f]
        print ""
        for (l = 1; l <= count; l++) {
            m = median(order[l], 2, ""); a = low; b = high
            before = order[l] "-before"
            ratio = median(order[l], 2, before in n ? before : order[1])
            if (before in n && ratio != "-") halves = halves sprintf("%s to %s %.2f, the middle half of %d rounds %.2f - %.2f\n", order[l], before, ratio, used, first, third)
            if (m == "-") { printf "%-18s%s\n", order[l], cell(m); continue }
            printf "%-18s%s %10.2f - %9.2f ", order[l], cell(m), a, b
            printf ratio == "-" ? "%8s" : "%8.2f", ratio
            for (f = 2; f <= figures; f++) printf "%s", cell(median(order[l], f + 1, ""))
            print ""
        }
        printf "%s", halves
    }'
}

# by_label LABEL... < results: the lines of each label together, in this order
by_label() {
    awk -v order="$*" '{ lines[$1] = lines[$1] $0 "\n" }
        END { count = split(order, label, " "); for (i = 1; i <= count; i++) printf "%s", lines[label[i]] }'
}
