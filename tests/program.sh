# What the tests of the program share: sourced by test_*.sh.
here=$(cd "$(dirname "$0")" && pwd)
case ${BUILD:=build} in /*) ;; *) BUILD=$here/../$BUILD ;; esac
strata=$BUILD/bin/strata
model=$here/../layer5_models/models/storyteller.gguf
draft=$here/../layer5_models/models/draft.gguf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

ok() { echo "ok $1"; }
not() { echo "not ok $1: $2"; }
# expect NAME STATUS PATTERN COMMAND...: the exit status, and a pattern in what it printed
expect() {
    name=$1 status=$2 pattern=$3
    shift 3
    "$@" >"$work/out" 2>&1 </dev/null
    got=$?
    if [ $got -ne "$status" ]; then not "$name" "exit status $got, wanted $status: $(head -c 300 "$work/out")"
    elif ! grep -q -- "$pattern" "$work/out"; then not "$name" "no '$pattern' in: $(head -c 300 "$work/out")"
    else ok "$name"; fi
}
# same NAME A B: the same text, which is not that a command was written wrongly
same() {
    case $2 in *"strata: no option "* | *"strata: option given twice"*) not "$1" "$2" && return ;; esac
    if [ "$2" = "$3" ]; then ok "$1"; else not "$1" "'$2' is not '$3'"; fi
}

