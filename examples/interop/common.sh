# shellcheck shell=bash disable=SC2034
# Shared by the interop scripts, which source it.
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
bin=${NFSWIRE_BIN:-${CARGO_TARGET_DIR:-$repo/target}/release}
failures=0

say() { printf '%s\n' "$*"; }
die() {
    say "$(basename "$(dirname "$0")"): $*" >&2
    exit 2
}

# need TOOL PACKAGE: one sentence instead of "command not found" in the middle of a run.
need() { command -v "$1" >/dev/null || die "$1 is missing; install the Debian package $2"; }

need_binary() { [ -x "$bin/$1" ] || die "$bin/$1 is missing; build it with: cargo build --release --bin $1"; }

# check NAME COMMAND...: runs a program or a function (whose status must be its result: there is
# no errexit in it) and prints "PASS name" or "FAIL name: the last line of its output".
check() {
    local name=$1 check_output status=0
    shift
    check_output=$("$@" 2>&1 </dev/null) || status=$?
    if [ "$status" = 0 ]; then
        say "PASS $name"
    else
        say "FAIL $name: exit status $status: $(tail -n 1 <<<"$check_output" | cut -c1-300)"
        failures=$((failures + 1))
    fi
}

# A program that must fail by itself: not by a signal or a timeout.
refused() {
    local status=0
    "$@" || status=$?
    case $status in 0 | 124 | 12[6-9] | 1[3-5][0-9]) return 1 ;; esac
}

hash_of() { sha256sum <"$1"; }
same_hash() { [ "$(hash_of "$1")" = "$(hash_of "$2")" ]; }

finish() {
    if [ "$failures" -gt 0 ]; then
        say "$failures checks failed"
        exit 1
    fi
    say "all checks passed"
}

free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# start_server LOG DIR PORT [OPTION...]: starts our server on 127.0.0.1:PORT and waits until
# it is ready; sets server_pid. It dies with this shell, whatever ends that. Its state is in LOG.state.
start_server() {
    local log=$1 dir=$2 port=$3
    shift 3
    start_ready "$log" "$bin/server" --export "$dir" --listen "127.0.0.1:$port" --state-dir "$log.state" "$@"
}

# start_ready LOG COMMAND...: the same for any server that says "ready".
start_ready() {
    local log=$1 i
    shift
    : >"$log"
    setpriv --pdeathsig KILL "$@" >"$log" 2>&1 </dev/null &
    server_pid=$!
    for ((i = 0; i < 100; i++)); do
        if grep -q '^ready ' "$log"; then return 0; fi
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.1
    done
    die "the server did not get ready within 10 s: $(tail -n 3 "$log")"
}

# set_up_peer WORK [TOP]: the server under test is our own on a fresh directory in TOP (WORK) or, when PEER_PORT is in the
# environment (see ganesha/with-ganesha), another one that runs already. Sets PEER_PORT,
# PEER_MOUNTPORT, PEER_DIR (what is exported) and PEER_EXPORT (as what; empty for "/").
set_up_peer() {
    local work=$1
    server_pid=""
    if [ -n "${PEER_PORT:-}" ]; then
        [ "$PEER_EXPORT" != / ] || PEER_EXPORT=""
        return 0
    fi
    need_binary server
    PEER_DIR=${2:-$work}/export PEER_EXPORT=""
    mkdir -m 777 "$PEER_DIR"
    chmod 755 "$work" "${2:-$work}"
    PEER_PORT=$(free_port)
    PEER_MOUNTPORT=$PEER_PORT
    start_peer "$work"
}

# start_peer WORK: starts the server that set_up_peer has set up, or starts it anew.
start_peer() {
    local options=()
    [ "$(id -u)" != 0 ] || options=(--squash none)
    start_server "$1/server.log" "$PEER_DIR" "$PEER_PORT" ${options[@]+"${options[@]}"}
}

# stop_server: ends it and tells whether it still ran and never panicked.
stop_server() {
    local log=$1
    [ -n "$server_pid" ] || return 0
    if ! kill -0 "$server_pid" 2>/dev/null; then
        say "FAIL server_alive: it ended early: $(tail -n 3 "$log" | tr '\n' ' ')"
        failures=$((failures + 1))
    elif grep -q "panicked at" "$log"; then
        say "FAIL server_no_panic: $(grep "panicked at" "$log" | head -n 1)"
        failures=$((failures + 1))
    else
        say "PASS server_alive"
    fi
    kill "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
    server_pid=""
}
