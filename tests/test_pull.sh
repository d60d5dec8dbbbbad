#!/bin/sh
# strata pull, against a server on loopback that breaks, redirects and lies; and -m NAME.
. "$(dirname "$0")/program.sh"
if ! command -v curl >/dev/null 2>&1; then
    expect "without curl it says what to install" 1 "apt-get install curl" env STRATA_MODELS="$work/m" "$strata" pull http://127.0.0.1:1/x.gguf
    echo "ok downloads are not tried: there is no curl (make deps installs it)"
    exit
fi
if ! command -v python3 >/dev/null 2>&1; then
    echo "ok downloads are not tried: there is no python3"
    exit
fi
unset http_proxy all_proxy HTTP_PROXY ALL_PROXY HF_ENDPOINT XDG_DATA_HOME
HOME=$work # where curl looks for .curlrc
STRATA_MODELS=$work/models
export HOME STRATA_MODELS
cd "$work" || exit 1
mkdir server
python3 "$here/server/files.py" "$draft" server 2>server/errors &
server=$!
trap 'kill $server; umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
tries=0
until [ -s server/port ] || [ $tries -eq 100 ]; do tries=$((tries + 1)); sleep 0.1; done
if [ ! -s server/port ]; then not "a server on loopback" "$(cat server/errors)"; exit 1; fi
host=http://127.0.0.1:$(cat server/port)
digest=$(python3 -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest())' "$draft")
size=$(wc -c <"$draft" | tr -d ' ')
wrong=$(printf '%064d' 7)

asked() { grep -c "^$1 " server/log; }
whole() { # whole NAME FILE: it is the file, and nothing of the download is left
    if cmp -s "models/$2" "$draft" && [ ! -e "models/$2.part" ] && [ ! -e "models/$2.part-headers" ]; then ok "$1"
    else not "$1" "$(ls -l models)"; fi
}
nothing() { # nothing NAME FILE
    if ls "models/$2"* >/dev/null 2>&1; then not "$1" "$(ls -l models)"; else ok "$1"; fi
}
pull() { "$strata" pull "$@"; }

# ------------------------------------------------------------------ whole, and what was checked

expect "a whole file" 0 "no digest to check; its SHA-256 is $digest" pull "$host/whole/a.gguf"
same "its path goes to standard output" "$(tail -1 out)" "$STRATA_MODELS/a.gguf"
whole "it is the file" a.gguf
expect "a second time it is here" 0 "a is already downloaded" pull "$host/whole/a.gguf"
same "and not asked for" "$(asked /whole/a.gguf)" 1
expect "here, and its digest is right" 0 "its SHA-256 matches --sha256" pull "$host/whole/a.gguf" --sha256 "$digest"
expect "here, and its digest is another" 1 "has SHA-256 $digest, --sha256 says $wrong" pull "$host/whole/a.gguf" --sha256 "$wrong"
expect "a digest behind the address" 0 "its SHA-256 matches the address" pull "$host/whole/b.gguf#sha256=$digest"
expect "a digest as an option, in capitals" 0 "its SHA-256 matches --sha256" pull "$host/whole/c.gguf?download=true" --sha256 "$(echo "$digest" | tr a-f A-F)"
whole "what stands behind ? is no part of the name" c.gguf
expect "a wrong digest: both are said" 1 "SHA-256 $digest, --sha256 says $wrong: what was downloaded is removed" pull "$host/whole/d.gguf" --sha256 "$wrong"
nothing "and nothing is kept" d.gguf
expect "no size is said" 0 "its SHA-256 is $digest" pull "$host/endless/e.gguf"
whole "it is whole, too" e.gguf
expect "the server's digest" 0 "its SHA-256 matches the server (X-Linked-ETag)" pull "$host/hf/moon.gguf"
whole "behind a redirect" moon.gguf
rm models/moon.gguf
expect "the server's digest is wrong" 1 "the server (X-Linked-ETag) says" pull "$host/hfwrong/moon.gguf"
nothing "that is not kept, either" moon.gguf
expect "it announces another digest than is wanted" 1 "the server announces SHA-256 $digest, --sha256 says $wrong: it is not downloaded" pull "$host/hf/moon.gguf" --sha256 "$wrong"
same "no terminal: two lines on standard error" "$(pull "$host/whole/quiet.gguf" 2>&1 >/dev/null | wc -l | tr -d ' ')" 2

# ------------------------------------------------------------------ broken off

expect "a connection that breaks once" 0 "its SHA-256 matches --sha256" pull "$host/cut/f.gguf" --sha256 "$digest"
same "the rest is asked for" "$(grep '^/cut/f.gguf ' server/log | tail -1 | cut -d' ' -f2)" "bytes=$((size / 2))-"
expect "a server that goes away" 1 "run the same command to resume" pull "$host/gone/g.gguf"
same "half is kept" "$(wc -c <models/g.gguf.part | tr -d ' ')" $((size / 2))
expect "it is away still" 1 "run the same command to resume" pull "$host/gone/g.gguf"
expect "and comes back" 0 "going on at" pull "$host/gone/g.gguf" --sha256 "$digest"
whole "both halves make the file" g.gguf
etag=$(python3 -c 'import hashlib, sys; print(hashlib.md5(open(sys.argv[1], "rb").read()).hexdigest())' "$draft")
same "the last request is for the second half, of the same file" "$(grep '^/gone/g.gguf ' server/log | tail -1)" "/gone/g.gguf bytes=$((size / 2))- \"$etag\""
expect "a connection that breaks again and again" 1 "the connection broke. The partial download is kept" pull "$host/break/h.gguf"
same "is tried eleven times" "$(asked /break/h.gguf)" 11
expect "a server without ranges" 0 "cannot resume: starting over" pull "$host/norange/i.gguf" --sha256 "$digest"
whole "begins again" i.gguf
expect "another file by now" 0 "cannot resume: starting over" pull "$host/changed/j.gguf"
if cmp -s models/j.gguf "$draft"; then not "is taken whole" "it is the first one"; else ok "is taken whole"; fi
same "its halves are of one file" "$(cmp -l models/j.gguf "$draft" | wc -l | tr -d ' ')" 1
expect "another size by now" 0 "cannot resume: starting over" pull "$host/longer/j2.gguf"
same "counts" "$(wc -c <models/j2.gguf | tr -d ' ')" $((size + 1))
expect "another file, which the server does not say" 1 "what was downloaded is removed" pull "$host/replaced/k.gguf" --sha256 "$digest"
nothing "is not kept" k.gguf
cp "$draft" models/l.gguf.part
expect "a part that is whole" 0 "its SHA-256 matches --sha256" pull "$host/whole/l.gguf" --sha256 "$digest"
whole "gets its name" l.gguf
{ cat "$draft"; echo more; } >models/m.gguf.part
expect "a part that is longer than the file" 0 "cannot resume: starting over" pull "$host/whole/m.gguf" --sha256 "$digest"
whole "is forgotten" m.gguf

# ------------------------------------------------------------------ what is no download

expect "a file that is not there" 1 "no such file (404)" pull "$host/none/n.gguf"
nothing "leaves nothing" n.gguf
expect "a web page" 1 "n.gguf is not a GGUF file but a web page (HTML)" pull "$host/page/n.gguf"
nothing "leaves nothing, either" n.gguf
expect "a web page about a file" 1 "write /resolve/ instead of /blob/" pull "$host/page/blob/main/n.gguf"
expect "an empty file" 1 "is not a GGUF file" pull "$host/empty/n.gguf"
expect "a redirect to http" 0 "its SHA-256 is $digest" pull "$host/redirect/r.gguf"
whole "is followed" r.gguf
expect "a redirect to file://" 1 "that is neither http nor https" pull "$host/tofile/n.gguf"
expect "redirects without end" 1 "redirects" pull "$host/loop/n.gguf"
expect "nobody listens" 1 "connect" pull http://127.0.0.1:1/n.gguf
nothing "of all these nothing is left" n.gguf
expect "another scheme" 1 "only http and https" pull "file://$draft"
expect "a path" 1 "only http and https" pull ./x.gguf
expect "an option in place of an address" 2 "no option" pull --config "$host/whole/n.gguf"
expect "an address that begins like an option" 1 "only http and https" pull -- -o/tmp/x.gguf
expect "a space in an address" 1 "write it as %20" pull "$host/whole/a b.gguf"
expect "no file" 1 "names no file" pull "$host/whole/"
expect "no path" 1 "names no file" pull "$host"
expect "no digest" 1 "is no SHA-256: wanted 64" pull "$host/whole/n.gguf" --sha256 123
expect "something else behind #" 1 "wanted sha256=HEX" pull "$host/whole/n.gguf#md5=1"
expect "a digest of nothing" 2 "needs a URL" pull --sha256 "$digest"
expect "a name with dots" 0 "dots: 1.8 MB" pull "$host/whole/..dots.gguf"
whole "has none at its beginning" dots.gguf
expect "a name that escapes" 0 "_2e_2e_2fup" pull "$host/whole/%2e%2e%2fup%24(id).gguf"
same "stays in the folder" "$(ls models | grep up)" "_2e_2e_2fup_24_id_.gguf"
expect "brackets are no pattern" 0 "x_1-3_" pull "$host/whole/x[1-3].gguf"
expect "no curl" 1 "apt-get install curl" env PATH="$work/server" "$strata" pull "$host/whole/n.gguf"
ln -s "$work/elsewhere" models/link.gguf.part
expect "a part that is a link" 1 "link.gguf.part cannot be written" pull "$host/whole/link.gguf"
same "is not followed" "$(ls "$work/elsewhere" 2>/dev/null)" ""

# ------------------------------------------------------------------ two at once, no space

pull "$host/slow/s.gguf" >first 2>&1 &
first=$!
tries=0
until [ -e server/waits ] || [ $tries -eq 100 ]; do tries=$((tries + 1)); sleep 0.1; done
expect "two at once" 1 "another strata pull is downloading s" pull "$host/slow/s.gguf"
touch server/go
wait $first
same "the first one ends well" $? 0
whole "and has the file" s.gguf
same "which was asked for once" "$(asked /slow/s.gguf)" 1

rm server/go server/waits
"$strata" pull "$host/slow/killed.gguf" >first 2>&1 &
first=$!
tries=0
until [ -e server/waits ] || [ $tries -eq 100 ]; do tries=$((tries + 1)); sleep 0.1; done
sleep 0.2
kill $first
wait $first 2>/dev/null
touch server/go
same "what is killed keeps its part" "$(wc -c <models/killed.gguf.part | tr -d ' ')" $((size / 2))
expect "which is locked no more" 0 "its SHA-256 matches --sha256" pull "$host/slow/killed.gguf" --sha256 "$digest"
python3 - "$strata" pull "$host/slow/shown.gguf" >shown <<'END'
import os, pty, sys
pid, end = pty.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
try:
    while piece := os.read(end, 4096):
        said += piece
except OSError:
    pass
print(said.decode().replace("\r", "\n"))
END
if grep -q '^shown  [0-9.]* of 1.8 MB  [0-9]* %  [0-9.]* MB/s  0:0[0-9] left' shown; then ok "on a terminal it says how far and how fast it is"
else not "on a terminal it says how far and how fast it is" "$(cat shown)"; fi

limited() { (ulimit -f "$1"; shift; "$strata" pull "$@"); } # blocks of 512 bytes, of 1024 in some shells
expect "a file that may not grow" 1 "t.gguf.part cannot be written: File too large. The partial download is kept" limited 1000 "$host/whole/t.gguf"
kept=$(wc -c <models/t.gguf.part | tr -d ' ')
if [ "$kept" -ge 500000 ] && [ "$kept" -lt "$size" ]; then ok "what has arrived is kept"; else not "what has arrived is kept" "$kept bytes"; fi
expect "and gone on with" 0 "going on at" pull "$host/whole/t.gguf" --sha256 "$digest"
mkdir small
if mount -t tmpfs -o size=1m none small 2>/dev/null; then
    expect "no space" 1 "no space: u needs 1.8 MB more" env STRATA_MODELS="$work/small" "$strata" pull "$host/whole/u.gguf"
    expect "no space, of which the server did not warn" 1 "No space left on device. The partial download is kept" env STRATA_MODELS="$work/small" "$strata" pull "$host/endless/u.gguf"
    kept=$(wc -c <small/u.gguf.part | tr -d ' ')
    if [ "$kept" -gt 1000000 ] && [ "$kept" -lt 1048577 ]; then ok "all that fits is kept"; else not "all that fits is kept" "$kept bytes"; fi
    mount -o remount,size=4m small
    expect "room is made" 0 "its SHA-256 matches --sha256" env STRATA_MODELS="$work/small" "$strata" pull "$host/whole/u.gguf" --sha256 "$digest"
else
    ok "no space: not tried, a small disk needs the rights of root"
fi
echo file >none
expect "a folder that cannot be" 1 "cannot be created: Not a directory" env STRATA_MODELS="$work/none/models" "$strata" pull "$host/whole/v.gguf"

# ------------------------------------------------------------------ names

HF_ENDPOINT=$host/none
export HF_ENDPOINT
names=$("$strata" pull | awk 'NF && NR > 1 { if (seen) next; print $1 } !NF { seen = 1 }')
same "ten models have names" "$(echo "$names" | wc -l | tr -d ' ')" 10
for name in $names; do "$strata" pull "$name" >out 2>&1; done
same "each leads to a file of its own" "$(grep -c '^/none/[^/]*/[^/]*/resolve/main/[^ ]*\.gguf ' server/log) $(grep '^/none/.*/resolve/' server/log | sort -u | wc -l | tr -d ' ')" "10 10"
expect "another file by that name" 1 "has $size bytes, wanted 1185376: the file was replaced" env HF_ENDPOINT="$host/hf" "$strata" pull stories260k
expect "the right size, and other bytes" 1 "the table says 270cba1bd5109f42d03350f60406024560464db173c0e387d91f0426d3bd256d" env HF_ENDPOINT="$host/made" "$strata" pull stories260k
nothing "neither is kept" stories260k.gguf
expect "a name in other letters" 1 "/none/HuggingFaceTB/SmolLM2-360M-Instruct-GGUF/resolve/main/smollm2-360m-instruct-q8_0.gguf: no such file" pull SmolLM2-360M
expect "a name that is near" 1 "did you mean smollm2-360m" pull smolm2-360m
expect "a name that is none" 1 "strata pull lists them" pull xyzzy
expect "a name that may be pulled" 1 "run strata pull qwen3-0.6b (639 MB, licence Apache 2.0)" "$strata" generate -m qwen3-0.6b
expect "a name that is near one that is here" 1 "did you mean moon-draft" sh -c "cp '$draft' models/moon-draft.gguf; '$strata' generate -m moon-drft"
story=$("$strata" generate -m "$draft" -n 20 2>/dev/null)
for name in a a.gguf; do same "generate -m $name" "$("$strata" generate -m $name -n 20 2>/dev/null)" "$story"; done
expect "generate says which file" 0 "models/a.gguf: llama\|a.gguf: llama" "$strata" generate -m a -n 2
same "chat -m NAME" "$(echo hello | "$strata" chat -m a -n 5 2>/dev/null | wc -c)" "$(echo hello | "$strata" chat -m "$draft" -n 5 2>/dev/null | wc -c)"
expect "inspect NAME" 0 "models/a.gguf: GGUF version" "$strata" inspect a
same "dump NAME" "$("$strata" dump a output_norm.weight | cksum)" "$("$strata" dump "$draft" output_norm.weight | cksum)"
same "tokenize -m NAME" "$(echo the fox | "$strata" tokenize -m a)" "$(echo the fox | "$strata" tokenize -m "$draft")"
echo '{"messages": [{"role": "user", "content": "hello"}]}' >talk.json
expect "template -m NAME" 1 "models/a.gguf has no tokenizer.chat_template" "$strata" template -m a --input talk.json
expect "chain -m NAME" 1 "has 2048" sh -c "seq 3000 | '$strata' chain -m a"
expect "quantize NAME" 0 "became" "$strata" quantize a q8.gguf Q8_0
expect "generate --draft NAME" 0 "accepted\|draft" "$strata" generate --draft a -n 9
expect "a file that exists comes first" 1 "is not a GGUF file\|cut short" sh -c "echo nothing >a; '$strata' generate -m a"
expect "so does STRATA_MODEL" 0 "b.gguf: llama" env STRATA_MODEL=b "$strata" generate -n 2
if [ -x "$BUILD/bin/strata-serve" ]; then expect "serve -m NAME" 1 "did you mean moon-draft" "$strata" serve -m moon-drft; fi

# ------------------------------------------------------------------ the folder

expect "the table" 0 "smollm2-360m *386 MB *Apache 2.0 *- " pull
cp "$draft" models/smollm2-360m.gguf
expect "what is here" 0 "1 of 10 are downloaded, 1.8 MB" pull
expect "another file is no published one" 1 "it has $size bytes, the published one 386404992" pull smollm2-360m
expect "the folder" 0 "moon-draft *1.8 MB  $STRATA_MODELS/moon-draft.gguf" pull --list
expect "its sum" 0 "^[0-9]* models, .* in $STRATA_MODELS$" pull --list
expect "--remove" 0 "smollm2-360m is removed" pull --remove smollm2-360m
nothing "the file is gone" smollm2-360m
touch models/w.gguf.part models/w.gguf.part-headers
expect "--remove of a part, with .gguf" 0 "w is removed" pull --remove w.gguf
nothing "that is gone, too" w.gguf
expect "--remove of what is not there" 1 "no model w in" pull --remove w
expect "--remove of a path" 1 "the name of a model" pull --remove ../server/log
expect "--list takes no model" 2 "--list takes no model" pull --list a
expect "--list and --remove" 2 "does not go with" pull --list --remove a
unset STRATA_MODELS
expect "the folder by XDG_DATA_HOME" 0 "in $work/data/strata/models" env XDG_DATA_HOME="$work/data" "$strata" pull
expect "the folder at home" 0 "in $work/.local/share/strata/models" "$strata" pull
expect "no home" 1 "set STRATA_MODELS" env -u HOME "$strata" pull

# ------------------------------------------------------------------ the README's commands, as printed

# With the storyteller in place of what is downloaded.
STRATA_MODELS=$work/readme
export STRATA_MODELS
mkdir readme
cp "$model" readme/smollm2-360m.gguf
sed -n '/^## Your own model/,/^GGUF files/p' "$here/../README.md" | sed -n 's/ *#.*//; /^strata/p' >commands
PATH=$BUILD/bin:$PATH
same "the README has eight commands for a model" "$(wc -l <commands | tr -d ' ')" 8
while read -r command; do
    case $command in
    *pull\ smollm2-360m) expect "README: $command" 1 "the published one 386404992" sh -c "$command" ;; # it is here, as the stand-in that it is
    *serve*)
        if [ -x "$BUILD/bin/strata-serve" ]; then
            sh -c "exec $command --port 0" >out 2>&1 </dev/null &
            served=$!
            tries=0
            until grep -q "http://" out || [ $tries -eq 100 ]; do tries=$((tries + 1)); sleep 0.1; done
            kill $served
            wait $served 2>/dev/null
            if grep -q "http://" out; then ok "README: $command"; else not "README: $command" "$(cat out)"; fi
        fi ;;
    *) expect "README: $command" 0 "" sh -c "$command" ;;
    esac
done <commands
