#!/usr/bin/env bash
# Whether a server answers: healthcheck.sh HOST PORT PATH. Exit code 0 for any answer below 500, and 1 for an error of the server,
# no answer in 5 seconds, or no connection. Needs bash and coreutils, and no curl, which images of a JRE do not have.
# A path of the application tells more than "/", which without an application is a 404.
set -euo pipefail
host=${1:?host} port=${2:?port} path=${3:-/}

request() {
    exec 3<>"/dev/tcp/$host/$port"
    printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$path" "$host" >&3
    head -n 1 <&3
}

export -f request
export host port path
status=$(timeout 5 bash -c request 2>/dev/null | cut -d ' ' -f 2) || exit 1
[[ $status =~ ^[1-4][0-9][0-9]$ ]]
