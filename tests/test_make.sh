#!/bin/sh
# make as its user meets it: what follows a word is used or refused, and text arrives as it was given.
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS ISA

ok() { echo "ok $1"; }
not() { echo "not ok $1: $2"; }
[ -z "$SAN$TSAN" ] || { ok "make is of the plain build"; exit 0; }
refuses() { # refuses PATTERN WORD...: make WORD... ends with an error that says so
    pattern=$1
    shift
    if make -s "$@" >"$work/out" 2>&1; then not "make $*" "exit status 0"
    elif ! grep -q -- "$pattern" "$work/out"; then not "make $*" "no '$pattern' in: $(head -c 300 "$work/out")"
    else ok "make $* is refused"; fi
}
refuses "no layer '7'" worked 7
refuses "no layer 'foo'" worked foo
refuses "no layer 'top'" test top
refuses "no layer '7'" test 7
refuses "no exercise '9'" learn 9
refuses "no exercise 'foo'" grade foo
refuses "no exercise 'foo'" hint foo
refuses "no exercise '9.9'" start 9.9
refuses "one argument" grade 3.1 3.2
refuses "no chapter '99'" mine 99
refuses "one argument" mine 1 2
refuses "STRATA_ISA: no instruction set 'nonsense'" test 1 ISA=nonsense
if grep -q '^ok  ' "$work/out"; then not "and no test is run" "$(head -3 "$work/out")"; else ok "and no test is run"; fi
refuses "STRATA_ISA: no instruction set 'a b'" test 1 ISA="a b"
other=$(build/bin/strata bench isas | awk '/ not on this machine/ { print $1; exit }')
[ -z "$other" ] || refuses "STRATA_ISA: .*$other" test 1 "ISA=$other"
refuses "SECONDS is 'x': wanted a whole number" fuzz SECONDS=x
refuses "SECONDS is '0': wanted a whole number" fuzz SECONDS=0

# Without their tools, docs and plots say so before anything is built.
mkdir "$work/tools"
for tool in sh make cat cut dirname find grep head ls mkdir nproc printf sed sort sysctl tr uname; do
    path=$(command -v $tool) && case $path in /*) ln -s "$path" "$work/tools/$tool" ;; esac
done
all=$PATH
PATH=$work/tools
refuses "MkDocs: apt-get install mkdocs" docs "BUILD=$work/none"
refuses "MkDocs: apt-get install mkdocs" docs-serve "BUILD=$work/none"
refuses "gnuplot is not installed" plots "BUILD=$work/none"
PATH=$all
if [ -e "$work/none" ]; then not "and nothing is built" "$(ls "$work/none")"; else ok "and nothing is built"; fi

prompt='It cost $HOME "five" and it'"'"'s $(SHELL) `true` \\ done'
story=$(make -s run PROMPT="$prompt" CHAIN=greedy 2>/dev/null)
case $story in
"$prompt"*) ok "a prompt is what was given" ;;
*) not "a prompt is what was given" "$story" ;;
esac
told=$(make -s run 2>/dev/null | tr -s ' \n' ' ')
shown=$(sed -n '/^Once upon a time/,/^\[storyteller/p' README.md | sed '$d' | tr -s ' \n' ' ')
if [ "$told" = "$shown" ]; then ok "the README shows the story that make run tells"; else not "the README shows the story that make run tells" "$told"; fi
if [ -z "$(make -s 2>&1)" ]; then ok "nothing to build, nothing said"; else not "nothing to build, nothing said" "$(make -s 2>&1)"; fi

# The worked exercises: narrated, and as CSV with the titles that the head of its source promises, and as many fields in every line.
for n in 1 2 3 4 5 6; do
    make -s worked $n >"$work/out" 2>&1 && make -s -C "$(ls -d layer${n}_*)" worked ARGS=--csv >"$work/csv" 2>"$work/err"
    status=$?
    odd=$(awk -F, 'NR == 1 { n = NF } NF != n { odd++ } END { print odd + (NR < 5) }' "$work/csv")
    if [ $status -eq 0 ] && [ "$(wc -l <"$work/out")" -gt 10 ] && [ "$odd" -eq 0 ] &&
        grep -q -- "--csv prints.*$(head -1 "$work/csv")" layer"${n}"_*/exercise/worked.c; then ok "worked exercise $n"
    else not "worked exercise $n" "$(tail -3 "$work/out" "$work/err") $odd odd lines, titles $(head -1 "$work/csv")"; fi
done

# A sentence of one's own goes through all of them, whatever it holds; one that cannot be spelled is refused.
for n in top 1 2 3 4 5 6; do
    make -s worked $n SENTENCE='The fox lost his hat' >"$work/out" 2>&1
    if grep -q 'fox' "$work/out" && ! grep -q -i 'once' "$work/out"; then ok "worked exercise $n takes a sentence"; else not "worked exercise $n takes a sentence" "$(head -3 "$work/out")"; fi
done
sentence='It cost $HOME "five" and it'"'"'s `true` %s'
for n in top words 5; do
    if make -s worked $n SENTENCE="$sentence" 2>&1 | grep -q -F -- "$sentence"; then ok "a sentence is what was given, $n"; else not "a sentence is what was given, $n" "$(make -s worked $n SENTENCE="$sentence" 2>&1 | head -3)"; fi
done
make -s worked grammar SENTENCE='The fox met two' GRAMMAR='root ::= " owls"+ "!"' >"$work/out" 2>&1
if grep -q -F '(_owls){1,}!' "$work/out"; then ok "the worked exercise of grammars takes one"; else not "the worked exercise of grammars takes one" "$(tail -3 "$work/out")"; fi
refuses "line 1, column" worked grammar GRAMMAR='root ::= ('
make -s -C layer6_inference worked WORKED=grammar ARGS=--csv >"$work/csv"
if [ "$(awk -F, 'NF != 5' "$work/csv" | wc -l)" -eq 0 ] && grep -q ',complete,' "$work/csv"; then ok "and prints CSV"; else not "and prints CSV" "$(head -3 "$work/csv")"; fi
make -s -C layer5_models worked WORKED=words ARGS=--csv >"$work/csv" 2>/dev/null
if [ "$(awk -F, 'NF != 7' "$work/csv" | wc -l)" -eq 0 ] && [ "$(grep -c -e ',bytes,' -e ',unigram,' "$work/csv")" -eq 10 ]; then ok "five vocabularies, as CSV"; else not "five vocabularies, as CSV" "$(head -3 "$work/csv")"; fi
refuses "cannot spell" worked 1 SENTENCE='Ωmega'
refuses "a shorter sentence" worked 5 SENTENCE="$(seq -s " " 100)"
refuses "two words" worked 3 SENTENCE='a'

# A person at a terminal is asked for a guess first; nobody else is waited for.
if script --version 2>/dev/null | grep -q util-linux; then
    for n in top words 1 2 3 4 5 6; do
        yes 2>/dev/null | head -50 | timeout 60 script -qec "make -s worked $n" /dev/null >"$work/out" 2>&1
        if grep -q 'A guess first: ' "$work/out"; then ok "worked exercise $n asks first"; else not "worked exercise $n asks first" "$(tail -3 "$work/out")"; fi
    done
fi
if make -s worked top </dev/null | grep -q 'guess first'; then not "a plain run asks nothing" "it asks"; else ok "a plain run asks nothing"; fi
