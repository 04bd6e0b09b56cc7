#!/usr/bin/env bash
# Whether anything grows: connectors under a load of clients that keep their connection, close it, reset it, read slowly, write slowly,
# speak TLS and HTTP/2, ask for ranges, and come in bursts, for files and X-Sendfile, while the files are moved over, deleted, truncated
# and appended to. Each byte of each answer is checked: it is of one version, or the answer is cut off. Each server is a JVM of its own.
# Zeros in a file that is truncated are counted apart, as cleared: what has left the server refers to the file's pages (sendfile(2)).
#
# Prints connections, answers, bytes, errors; and of each server its connections, descriptors, threads, direct and resident memory at the
# begin, at most, and at the end. Both the begin and the end are COOL_DOWN seconds (90) behind a load, the first of which takes WARM_UP
# seconds (60): idle threads have ended then, files that nobody asked for in a minute are closed, and garbage is collected: the system has
# direct memory back only when a collection finds that nobody refers to it.
#
# Exits with 1 when a byte was wrong; when an answer of the load proper was refused or failed that must not be (the first ones of a cold
# JVM on a busy machine may run into a timeout); when at the end a server has connections, or
# 16 descriptors, 16 threads or 4 MiB of direct memory more than at the begin; or when resident memory rises in the last third of the
# load: when the median of its second half is more than 2 percent above that of its first. The heap is resident from the start. What the
# JVM compiles takes resident memory for some minutes: fewer than 10 show no plateau.
#
# usage: docs/bench/soak.sh [minutes [bio-platform|bio-virtual|nio|stock...]]      after: mvn -DskipTests package
# Default: 10 minutes, bio-platform and nio. JAVA names another JVM, which must be of a JDK; HEAP (256m) is each server's heap,
# JAVA_OPTIONS come besides. SAMPLES names a directory for the samples, a file for each server
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
minutes=${1:-10} warm_up=${WARM_UP:-60} cool_down=${COOL_DOWN:-90} heap=${HEAP:-256m} samples=${SAMPLES:-$work/samples}
shift $(($# < 1 ? $# : 1))
[ $# -gt 0 ] || set -- bio-platform nio
needs "$peers"
keytool=$(dirname "$(readlink -f "$(command -v "$java")")")/keytool
jcmd=$(dirname "$keytool")/jcmd
[ -x "$keytool" ] && [ -x "$jcmd" ] || fail "no keytool or jcmd beside $java: a JDK is needed"

load=
clean_up() { [ -z "$load" ] || kill "$load" 2> /dev/null || true; }

# sample LABEL PHASE: seconds, phase, connections, descriptors, threads, direct KiB, mapped KiB, resident KiB
sample() {
    local pid=${pids[$1]} url stats connections direct mapped
    read -r url _ < <(url_of "$1")
    stats=$(curl -sf --max-time 30 "$url/stats") || fail "$1 does not answer"
    read -r connections direct mapped <<< "$stats"
    echo "$SECONDS $2 $connections $(find "/proc/$pid/fd" -mindepth 1 | wc -l) $(awk '/^Threads/ { print $2 }' "/proc/$pid/status")" \
        "$direct $mapped $(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")" >> "$samples/$1"
}

# rest PHASE: a sample of each server behind its load
rest() {
    local label
    sleep "$cool_down"
    for label in "${labels[@]}"; do "$jcmd" "${pids[$label]}" GC.run > /dev/null; done
    sleep 2
    for label in "${labels[@]}"; do sample "$label" "$1"; done
}

# soak SECONDS PHASE: samples of that phase until it ends
soak() {
    local label
    # shellcheck disable=SC2086
    "$java" -Xmx512m -cp "$peers" dev.millrace.peers.soak.SoakLoad "$1" "$work/files" "$work/keys" $urls > "$work/load" &
    load=$!
    while kill -0 "$load" 2> /dev/null; do
        for label in "${labels[@]}"; do sample "$label" "$2"; done
        sleep 3
    done
    wait "$load" || [ "$2" = warm-up ] || wrong=1
    grep -q " wrong bytes 0," "$work/load" || wrong=1
    load=
}

wrong=0
mkdir -p "$work/files" "$samples"
"$keytool" -genkeypair -alias soak -keyalg EC -dname CN=soak -ext san=ip:127.0.0.1 -validity 30 -storetype PKCS12 \
    -storepass soak-password -keystore "$work/keys" 2> /dev/null
for label in "$@"; do
    : > "$samples/$label"
    # shellcheck disable=SC2086
    start "$label" "$java" "-Xms$heap" "-Xmx$heap" -XX:+AlwaysPreTouch ${JAVA_OPTIONS:-} -cp "$peers" dev.millrace.peers.soak.SoakServer \
        "$label" "$work/files" "$work/keys"
done
urls=
for label in "$@"; do urls+=" $(url_of "$label")"; done

about
echo "$minutes minutes after $warm_up s, a heap of $heap: $*"
soak "$warm_up" warm-up
rest begin
soak $((minutes * 60)) load
cat "$work/load"
rest end

for label in "$@"; do
    echo
    echo "$label"
    awk '
        # The middle one of those from one sample of resident memory to another.
        function median(from, to,    sorted, i, j, n, v) {
            n = 0
            for (i = from; i <= to; i++) {
                v = resident[i]
                for (j = n++; j > 0 && sorted[j] > v; j--) sorted[j + 1] = sorted[j]
                sorted[j + 1] = v
            }
            return sorted[int((n + 1) / 2)]
        }
        $2 == "warm-up" { next }
        { for (i = 3; i <= 8; i++) { if (!(i in begin)) begin[i] = $i; if ($i > most[i]) most[i] = $i; end[i] = $i } }
        $2 == "load" { resident[++n] = $8 }
        END {
            split("connections,descriptors,threads,direct memory KiB,mapped memory KiB,resident memory KiB", name, ",")
            split("0 16 16 4096", more, " ")
            printf "%-24s %9s %9s %9s\n", "", "begin", "most", "end"
            for (i = 1; i <= 6; i++) {
                printf "%-24s %9d %9d %9d\n", name[i], begin[i + 2], most[i + 2], end[i + 2]
                if (i in more && end[i + 2] > begin[i + 2] + more[i]) { print name[i] ": grown"; wrong = 1 }
            }
            third = int(2 * n / 3); sixth = int((n - third) / 2)
            first = median(third + 1, third + sixth); second = median(third + sixth + 1, n)
            rise = first > 0 ? (second / first - 1) * 100 : 0
            printf "resident memory in the last third of the load: %d, then %d KiB (%+.1f %%)\n", first, second, rise
            if (n < 12) { print "too short for a plateau"; wrong = 1 }
            if (rise > 2) { print "resident memory: no plateau"; wrong = 1 }
            exit wrong
        }' "$samples/$label" || wrong=1
    read -r url _ < <(url_of "$label")
    echo "threads at the end: $(curl -sf "$url/threads")"
    echo "KiB at the end: $(curl -sf "$url/memory")"
    echo "log: $(sed -nE 's/.*:(WARN|ERROR) *:([^:]*):.*/\1 \2/p' "$work/$label.err" | sort | uniq -c | paste -sd, | tr -s ' ')"
done
exit "$wrong"
