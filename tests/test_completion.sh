#!/bin/sh
# Completion in bash, zsh and fish, and man pages: both are made of the tables of options.
. "$(dirname "$0")/program.sh"
scripts=$here/../library/completions

# ------------------------------------------------------------------ which words may come
# words NAME WANTED WORD...: what may stand in place of the last word, the first signs of each line alone
words() {
    name=$1 wanted=$2
    shift 2
    same "$name" "$("$strata" --help=words "$@" 2>&1 | cut -f1 | tr '\n' ' ' | sed 's/ $//')" "$wanted"
}
words "a command" "generate" gen
words "a command behind help" "tokenize" help tok
words "an option" "--seed --seconds" generate --se
words "an option behind others" "--threads" generate -n 5 --chain temp:1 --quiet --thr
words "a stage of a chain" "top_k:40,temp: :open" generate --chain top_k:40,te
words "a definition" "top_k:40,ref:typical: :open" generate --chain top_k:40,ref:typ
words "a stage without a value" "greedy :open" generate --chain gree
words "a preset" "balanced :open" chat --chain bal
words "another chain" "typical: :open" compare --chains greedy typ
words "... of tune, too" "typical: :open" tune --documents FILE --chains greedy typ
words "a stage's page" "typical" samplers typ
words "a choice" "bf16" generate --kv bf
words "an instruction set" "avx2 avxvnni avx512 avx512bf16" generate --isa avx
words "what a benchmark is of" "matmul" bench matm
words "a command's own command" "check" world ch
words "and its option" "--summary" world check --su
words "a model's file" ":files" generate -m ""
same "ends in .gguf" "$("$strata" --help=words generate -m "")" ":files	gguf"
same "any file" "$("$strata" --help=words generate --trace "")" ":files	"
words "a number is the user's" "" generate --seed ""
words "a text, too" "" generate -p "Once upon"
export STRATA_MODELS="$work/models"
mkdir -p "$STRATA_MODELS" && : >"$STRATA_MODELS/ant.gguf"
words "a model to pull" "smollm2-135m smollm2-360m" pull smol
words "a model that was pulled" ":files ant" generate -m an
words "and may be removed" "ant" pull --remove an
words "no such command" "" nonsense --he
expect "each command says which words may come" 0 "^--help	" "$strata" --help=words generate --he
for command in $("$strata" --help=words "" | cut -f1); do
    case $command in help | serve) continue ;; esac
    "$strata" "$command" --help=all | sed -n 's/^  \(-[^ ,]*\).*/\1/p' | sort -u >"$work/help"
    "$strata" --help=words "$command" - | cut -f1 | grep '^-' >"$work/words"
    same "$command completes what its help lists" "$(grep -vxFf "$work/words" "$work/help")" ""
done

# ------------------------------------------------------------------ shells
# A person types lines with tabs; what the shell makes of them is written down by a program of that name.
mkdir "$work/bin" "$work/there"
cat >"$work/bin/strata" <<'END'
#!/bin/sh
for word in "$@"; do
    if [ "$word" = --help=words ]; then exec "$STRATA" "$@"; fi
done
printf '[%s]' "$@" >>"$LOG"
echo >>"$LOG"
END
chmod +x "$work/bin/strata"
touch "$work/there/my model.gguf" "$work/there/it's one.gguf" "$work/there/my notes.txt" "$work/there/prompt.txt"
sed 's/<TAB>/	/g' >"$work/keys" <<'END'
strata gen<TAB>--see<TAB>5
strata generate --chain top_k:40,tem<TAB>0.7
strata generate --chain top_k:40,temp:0.7,gree<TAB> --quie<TAB>
strata bench matm<TAB>
strata world ch<TAB>--sum<TAB>
strata generate -m my<TAB>
strata generate -m it<TAB>
strata generate --grammar pr<TAB>
strata generate --kv bf<TAB>--thr<TAB>2
strata generate -p "Once upon a" --quie<TAB>
strata help tokeni<TAB>
END
cat >"$work/wanted" <<'END'
[generate][--seed][5]
[generate][--chain][top_k:40,temp:0.7]
[generate][--chain][top_k:40,temp:0.7,greedy][--quiet]
[bench][matmul]
[world][check][--summary]
[generate][-m][my model.gguf]
[generate][-m][it's one.gguf]
[generate][--grammar][prompt.txt]
[generate][--kv][bf16][--threads][2]
[generate][-p][Once upon a][--quiet]
[help][tokenize]
END
# typed SHELL COMMAND: types the lines at its prompt
typed() {
    name=$1 LOG=$work/log.$1
    : >"$LOG"
    (cd "$work/there" && PATH=$work/bin:$PATH STRATA=$strata LOG=$LOG HOME=$work ZDOTDIR=$work TERM=xterm \
        timeout 60 script -qec "$2" /dev/null <"$work/keys" >"$work/screen.$1" 2>&1)
    number=0
    while IFS= read -r wanted; do
        number=$((number + 1))
        same "$name completes $(sed -n "${number}p" "$work/keys" | tr '\t' '>')" "$(sed -n "${number}p" "$LOG")" "$wanted"
    done <"$work/wanted"
}
printf '. "%s"\n' "$scripts/strata.bash" >"$work/bashrc"
printf 'fpath=("%s" $fpath)\nautoload -Uz compinit\ncompinit -u -D\nbindkey -e\n' "$scripts" >"$work/.zshrc"
printf 'source "%s"\n' "$scripts/strata.fish" >"$work/config.fish"
if ! script --version 2>/dev/null | grep -q util-linux; then
    echo "# no script of util-linux, which lends a terminal: no shell is tried"
else
    for shell in bash zsh fish; do
        if ! command -v $shell >/dev/null 2>&1; then echo "# $shell is not installed: its completion is not tried"; continue; fi
        case $shell in
        bash) typed bash "bash --noprofile --rcfile '$work/bashrc' -i" ;;
        zsh) typed zsh "zsh -i" ;;
        fish) typed fish "fish --no-config -i -C 'source $work/config.fish'" ;;
        esac
    done
fi

# ------------------------------------------------------------------ man pages
"$here/../library/man.sh" "$strata" "$work/man" || not "man pages" "man.sh failed"
for command in $("$strata" --help=words "" | cut -f1 | grep -v -e '^help$' -e '^serve$') world-check world-score world-sample; do
    page=$work/man/strata-$command.1
    # shellcheck disable=SC2086,SC2046
    "$strata" $(echo $command | tr - ' ') --help=all | sed -n 's/^  \(-[^ ,]*\) .*/\1/p' | sort -u >"$work/options"
    sed -n 's/^\\fB\(\\-[^ ,\\]*\(\\-[^ ,\\]*\)*\).*/\1/p' "$page" 2>/dev/null | tr -d '\\' | sort -u >"$work/told"
    same "strata-$command(1) has every option" "$(grep -vxFf "$work/told" "$work/options")" ""
done
same "a page says what it is of" "$(sed -n '/^.SH NAME/{n;p;}' "$work/man/strata-generate.1")" 'strata\-generate \- continue a prompt'
same "lines that roff would obey are its macros" \
    "$(cat "$work"/man/*.1 | grep "^[.']" | grep -vE '^\.(TH|SH|SS|TP|PP|nf|fi|br|nh|ad l)( |$)' | head -3)" ""
expect "strata(1) lists the commands" 0 '^\\fBtokenize\\fR$' cat "$work/man/strata.1"
roff() { # roff PAGE: what is wrong with it
    # shellcheck disable=SC2069 # what is wrong goes on, the page does not
    if man --version 2>/dev/null | grep -q '^man 2'; then MANWIDTH=80 man --warnings -E UTF-8 -l "$1" 2>&1 >/dev/null
    elif command -v groff >/dev/null 2>&1; then groff -man -ww -Tutf8 -z "$1" 2>&1
    elif command -v mandoc >/dev/null 2>&1; then mandoc -T lint -W warning "$1" 2>&1
    else echo "# neither man, groff nor mandoc is installed" >"$work/unread"; fi
}
for page in "$work"/man/*.1; do same "$(basename "$page") has no fault that man finds" "$(roff "$page")" ""; done
cat "$work/unread" 2>/dev/null
expect "no such form of help" 2 "wanted all, man or words" "$strata" generate --help=html
