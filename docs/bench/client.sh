#!/usr/bin/env bash
# What the load client itself costs, beside wrk and h2load (Debian's packages wrk and nghttp2-client), and whether the
# three agree on a server's throughput.
#
# usage: docs/bench/client.sh [rounds [seconds [connections [part...]]]]       after: mvn -DskipTests package
# JAVA names the JVM of the client, SERVER_JAVA that of the server. The server is warmed up for WARM_UP_SECONDS (15) of each
# work, and ours for as long before each window: a JVM compiles until then.
#
# The parts, all of them unless named:
# cost    /hello of the NIO listener, keep-alive, closed model, unpinned. CPU time of the client per request: of wrk and
#         h2load the whole process, of ours the window (its JVM warms up before). "verifying" is /generate-uuid with every
#         answer checked byte by byte; "counting" looks at the status alone.
# closed  agreement, closed model: server on one core, client on the other, /generate-uuid with 100 UUIDs, so that the server is
#         the limit. Compared is its throughput per second of its CPU time: what a shared host leaves to that core differs from
#         one second to the next, whoever asks.
# tls     cost over TLS 1.3, keep-alive: wrk and ours (loadclient http) on nginx, which answers 13 bytes. Needs nginx and openssl.
# h2c, h2 cost of HTTP/2 with 16 streams on each of 4 connections, in clear text and over TLS: h2load and ours, on the same nginx.
# open    agreement, open model: 2,000 requests/s of /hello (h2load spreads its rate over connections; wrk has no rate).
# In the parts of cost oha is measured too, where there is one (cargo install --locked oha).
# shellcheck source=docs/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${1:-5} seconds=${2:-5} connections=${3:-32} warm_up=${WARM_UP_SECONDS:-15}
server_java=${SERVER_JAVA:-$java}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- cost tls h2c h2 closed open
needs "$client"

serve() { # prefix...
    needs "$war"
    nginx_runs=
    stop_all
    start server "$@" "$server_java" -Xmx512m -jar "$war" --bio-port=-1 --nio-port=0 --dispatch=selector
    url=$(url_of server)
}

warm_up() { # prefix, path
    $1 wrk -t1 "-c$connections" "-d${warm_up}s" "$url$2" > "$work/out"
}

# Each prints: label, requests, and of one request the CPU microseconds of the client and of the server.
# timed LABEL COMMAND...
timed() {
    local TIMEFORMAT='cpu %U %S' label=$1 before after
    shift
    before=$(cpu_of server)
    { time "$@" > "$work/out" 2>&1; } 2> "$work/time"
    after=$(cpu_of server)
    # Those of wrk, h2load and oha. Ours ends by itself.
    ! grep -E 'Non-2xx|Socket errors|[^0-9][1-9][0-9]* (failed|errored|timeout)' "$work/out" >&2 || fail "$label: wrong answers"
    awk -v label="$label" -v ticks=$((after - before)) '
        FILENAME ~ /time$/ { if ($1 == "cpu") cpu = $2 + $3; next }
        / requests in / { requests = $1 }
        /^ *\[200\] [0-9]+ responses/ { requests = $2 }
        /^requests:/ { requests = $8 }
        END { print label, requests, cpu * 1e6 / requests, ticks * 1e4 / requests }' "$work/time" "$work/out"
}
wrk_() { # label, prefix, path
    timed "$1" $2 wrk -t1 "-c$connections" "-d${seconds}s" "$url$3"
}
oha_() { # url, option...
    local url=$1
    shift
    ! type oha > /dev/null 2>&1 || undisturbed timed oha oha --no-tui --no-color --insecure -z "${seconds}s" "$@" "$url"
}
h2_() { # label, url
    timed "$1" h2load -t1 -c4 -m16 "-D$seconds" "$2"
}
any() { # label, url, option...
    local label=$1 url=$2 status=0
    shift 2
    rm -rf "$work/ours"
    "$java" -jar "$client" http -q "-d${seconds}s" "--warmup=${warm_up}s" --format=csv --insecure -o "$work/ours" "$@" "$url" > "$work/out" 2>&1 || status=$?
    [ "$status" = 0 ] || cat "$work/out" >&2
    [ "$status" = 0 ] || [ "$status" = 3 ] || exit 1
    cell "$work/ours" requests_per_s client_us_per_request server_us_per_request |
        awk -v label="$label" -v seconds="$seconds" '{ print label, $1 * seconds, $2, $3 }'
}
h2load_() { # label, prefix, path, further options
    timed "$1" $2 h2load --h1 -t1 "-c$connections" "-D$seconds" ${4:-} "$url$3"
}
ours() { # label, prefix, verify, path, further options
    local status=0
    # A run that is refused writes nothing, and exits 3 too.
    rm -rf "$work/ours"
    $2 "$java" -jar "$client" uuid -q "-c$connections" "-d${seconds}s" "--warmup=${warm_up}s" --format=csv \
        -o "$work/ours" "--verify=$3" ${5:-} "$url$4" > "$work/out" 2>&1 || status=$?
    # What is not valid exits 3: it is a result as well.
    [ "$status" = 0 ] || cat "$work/out" >&2
    [ "$status" = 0 ] || [ "$status" = 3 ] || exit 1
    cell "$work/ours" requests_per_s client_us_per_request server_us_per_request |
        awk -v label="$1" -v seconds="$seconds" '{ print label, $1 * seconds, $2, $3 }'
}

cost() { awk -v s="$seconds" '{ print $1, $3, $2 / s }' < "$work/results" | by_label "$@" | table "client us/req" requests/s; }
agreement() { awk -v s="$seconds" '{ print $1, 1e6 / $4, $2 / s }' < "$work/results" | by_label "$@" | table "req/CPU s" requests/s; }
rate() { awk -v s="$seconds" '{ print $1, $2 / s }' < "$work/results" | by_label "$@" | table requests/s; }

measure_cost() {
    serve env
    warm_up "" /hello
    warm_up "" "/generate-uuid?method=TIME"
    for _ in $(seq "$rounds"); do
        undisturbed wrk_ wrk "" /hello
        undisturbed h2load_ h2load "" /hello
        oha_ "$url/hello" -c "$connections"
        undisturbed ours counting "" none /hello
        undisturbed ours verifying "" full /generate-uuid "--uuid-method=TIME"
    done > "$work/results"
    echo
    echo "cost"
    cost wrk h2load oha counting verifying
}

# nginx with one worker: HTTP/1.1 over TLS on 28441, HTTP/2 over TLS on 28442 and in clear text on 28443.
serve_nginx() {
    [ -z "${nginx_runs:-}" ] || return 0
    type nginx openssl > /dev/null || fail "no nginx or no openssl here"
    stop_all
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/key.pem" -out "$work/certificate.pem" -days 2 \
        -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2> /dev/null
    local temporary name
    temporary=$(for name in client_body proxy fastcgi uwsgi scgi; do echo "${name}_temp_path $work/$name;"; done)
    cat > "$work/nginx.conf" << EOF
daemon off; master_process off; pid $work/nginx.pid; error_log $work/nginx.log;
events { worker_connections 1024; }
http {
    access_log off; keepalive_requests 1000000000; http2_max_concurrent_streams 128; $temporary
    ssl_certificate $work/certificate.pem; ssl_certificate_key $work/key.pem; ssl_protocols TLSv1.3;
    server { listen 127.0.0.1:28441 ssl; location / { default_type text/plain; return 200 "Hello, world\n"; } }
    server { listen 127.0.0.1:28442 ssl http2; location / { default_type text/plain; return 200 "Hello, world\n"; } }
    server { listen 127.0.0.1:28443 http2; location / { default_type text/plain; return 200 "Hello, world\n"; } }
}
EOF
    start server nginx -c "$work/nginx.conf"
    nginx_runs=yes
    for _ in $(seq 50); do
        if (: < /dev/tcp/127.0.0.1/28443) 2> /dev/null; then return; fi
        sleep 0.1
    done
    fail "nginx does not start: $(cat "$work/server.err" "$work/nginx.log")"
}

# compared TITLE LABEL...
compared() {
    echo
    echo "$1"
    shift
    cost "$@"
}

measure_tls() {
    serve_nginx
    for _ in $(seq "$rounds"); do
        undisturbed timed wrk wrk -t1 "-c$connections" "-d${seconds}s" https://127.0.0.1:28441/
        oha_ https://127.0.0.1:28441/ -c "$connections"
        undisturbed any counting https://127.0.0.1:28441/ "-c$connections"
    done > "$work/results"
    compared "cost over TLS" wrk oha counting
}

measure_h2c() {
    local digest
    digest=$(printf 'Hello, world\n' | sha256sum | cut -c1-64)
    serve_nginx
    for _ in $(seq "$rounds"); do
        undisturbed h2_ h2load http://127.0.0.1:28443/
        oha_ http://127.0.0.1:28443/ --http2 -c 4 -p 16
        undisturbed any counting http://127.0.0.1:28443/ -c4 --streams=16 --protocol=h2c
        undisturbed any verifying http://127.0.0.1:28443/ -c4 --streams=16 --protocol=h2c \
            --expect-header=Content-Type=text/plain "--expect-body-sha256=$digest"
    done > "$work/results"
    compared "cost of HTTP/2 in clear text" h2load oha counting verifying
}

measure_h2() {
    serve_nginx
    for _ in $(seq "$rounds"); do
        undisturbed h2_ h2load https://127.0.0.1:28442/
        oha_ https://127.0.0.1:28442/ --http2 -c 4 -p 16
        undisturbed any counting https://127.0.0.1:28442/ -c4 --streams=16 --protocol=h2
    done > "$work/results"
    compared "cost of HTTP/2 over TLS" h2load oha counting
}

measure_closed() {
    local hundred="/generate-uuid?method=TIME&count=100" second="taskset -c 1"
    [ "$(nproc)" -gt 1 ] || fail "no second core for the client"
    serve taskset -c 0
    warm_up "$second" "$hundred"
    for _ in $(seq "$rounds"); do
        undisturbed wrk_ wrk "$second" "$hundred"
        undisturbed h2load_ h2load "$second" "$hundred"
        undisturbed ours ours "$second" full /generate-uuid "--uuid-method=TIME --count=100"
    done > "$work/results"
    echo
    echo "closed model, one core for the server"
    agreement wrk h2load ours
}

measure_open() {
    serve env
    warm_up "" /hello
    for _ in $(seq "$rounds"); do
        undisturbed h2load_ h2load "" /hello "--rps=$(awk "BEGIN { print 2000 / $connections }")"
        undisturbed ours ours "" none /hello "--rate=2000"
    done > "$work/results"
    echo
    echo "open model, 2,000/s"
    rate h2load ours
}

about
echo "$connections connections, $rounds rounds of $seconds s after $warm_up s"
for part in "$@"; do
    case $part in
        cost | tls | h2c | h2 | closed | open) "measure_$part" ;;
        *) fail "no part $part" ;;
    esac
done
