#!/usr/bin/env bash
# nginx (Debian's package) on the work of the peers: /files/ from DIR and /hello. Prints `listening on URL` when
# it is ready; ends, with its workers, on SIGTERM. Its CPU time is that of this script's children and grandchildren.
#
# usage: docs/bench/nginx.sh PORT DIR [off]    PORT 0: any free one; off: without tcp_nopush, which is TCP_CORK; NGINX_WORKERS (1): worker
# processes, or auto; NGINX_TLS: a directory with cert.pem and key.pem: over TLS, HTTP/2 too;
# NGINX_AIO: threads, so that others than the worker wait for the disk;
# NGINX_PATTERNS: how many regular expressions look through each request for /hello, which makes it cost more
set -euo pipefail
port=$1 directory=$(cd "$2" && pwd -P)
# In Debian's place for daemons, which is not on everybody's path.
PATH=$PATH:/usr/sbin
command -v nginx > /dev/null || { echo "nginx.sh: no nginx here: apt-get install nginx-light" >&2; exit 1; }
answers() { (exec 3<> "/dev/tcp/127.0.0.1/$1") 2> /dev/null; }
while [ "$port" = 0 ] || { [ "$1" = 0 ] && answers "$port"; }; do
    port=$((20000 + RANDOM % 10000))
done

prefix=$(mktemp -d)
pid=
stop() {
    [ -z "$pid" ] || kill "$pid" 2> /dev/null || true
    wait || true
    rm -rf "$prefix"
}
trap stop EXIT
trap 'exit 143' TERM INT

# A master that is root changes its workers to a user who may not read DIR: none here changes.
user=
[ "$(id -u)" != 0 ] || user="user $(id -un);"
scheme=http listen=
if [ -n "${NGINX_TLS:-}" ]; then
    scheme=https
    listen="ssl http2;
        ssl_certificate $NGINX_TLS/cert.pem;
        ssl_certificate_key $NGINX_TLS/key.pem;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_session_cache shared:tls:10m"
fi
cat > "$prefix/nginx.conf" <<CONF
$user
daemon off;
worker_processes ${NGINX_WORKERS:-1};
worker_rlimit_nofile $(ulimit -n);
pid $prefix/nginx.pid;
error_log stderr error;
events {
    worker_connections $(ulimit -n);
}
http {
    access_log off;
    server_tokens off;
    sendfile on;
    ${NGINX_AIO:+aio $NGINX_AIO;}
    tcp_nopush ${3:-on};
    keepalive_timeout 300s;
    keepalive_requests 1000000000;
    open_file_cache max=4096 inactive=60s;
    open_file_cache_valid 1s;
    open_file_cache_min_uses 1;
    open_file_cache_errors on;
    client_body_temp_path $prefix;
    proxy_temp_path $prefix;
    fastcgi_temp_path $prefix;
    uwsgi_temp_path $prefix;
    scgi_temp_path $prefix;
    server {
        listen 127.0.0.1:$port backlog=4096 $listen;
        location = /hello {
            $(for i in $(seq "${NGINX_PATTERNS:-0}"); do echo "if (\$http_user_agent ~ \"(a|b|c)+x$i\$\") { return 404; }"; done)
            default_type "text/plain;charset=utf-8";
            return 200 "Hello, World!";
        }
        location /files/ {
            default_type application/octet-stream;
            alias $directory/;
        }
    }
}
CONF
nginx -p "$prefix" -e stderr -c "$prefix/nginx.conf" &
pid=$!
for _ in $(seq 100); do
    if answers "$port"; then
        echo "listening on $scheme://127.0.0.1:$port"
        wait "$pid"
        exit
    fi
    kill -0 "$pid" 2> /dev/null || exit 1
    sleep 0.1
done
exit 1
