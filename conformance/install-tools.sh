#!/usr/bin/env bash
# Installs below target/tools what the conformance run needs, and nothing elsewhere. Says loudly what cannot be had here.
set -uo pipefail
cd "$(dirname "$0")"
tools=$PWD/target/tools
mkdir -p "$tools/bin"

# Runs the rest of the line unless there is the tool already.
install() {
    local tool=$1
    shift
    [ -x "$tools/bin/$tool" ] && return
    echo "== installing $tool"
    if ! "$@" > "$tools/$tool.log" 2>&1 || [ ! -x "$tools/bin/$tool" ]; then
        echo "== SKIPPED: $tool cannot be installed here, see $tools/$tool.log" >&2
    fi
}

# Its newer releases are no Go modules by their version numbers.
h2spec() {
    GOPATH=$tools/go GOBIN=$tools/bin GOFLAGS=-modcacherw \
        go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible
}

slowhttptest() {
    mkdir -p "$tools/deb" && cd "$tools/deb" || return
    # The lists of packages may be missing or old.
    apt-get download slowhttptest || { apt-get update && apt-get download slowhttptest; } || return
    dpkg -x slowhttptest_*.deb . && ln -sf ../deb/usr/bin/slowhttptest "$tools/bin/slowhttptest"
}

# A package of PyPI, in an environment of its own.
python_tool() {
    python3 -m venv "$tools/venv-$1" && "$tools/venv-$1/bin/pip" install --quiet "$1==$2" \
        && ln -sf "../venv-$1/bin/$1" "$tools/bin/$1"
}

install h2spec h2spec
install slowhttptest slowhttptest
install schemathesis python_tool schemathesis 4.32.5
install httplint python_tool httplint 2026.10.4
install kosoku python_tool kosoku 0.1.0
