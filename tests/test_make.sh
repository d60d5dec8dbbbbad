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
refuses "SECONDS is 'x': wanted an integer" fuzz SECONDS=x
refuses "SECONDS is '0': wanted an integer" fuzz SECONDS=0

# Two in one tree, each of which links anew: both tell their story.
rm -f build/bin/story build/layer6_inference/story.o
make -s run SEED=3 >"$work/one" 2>&1 & other_run=$!
make -s run SEED=3 >"$work/two" 2>&1
status_two=$?
wait $other_run
status_one=$?
if [ $status_one$status_two = 00 ] && grep -q '^Once upon a time' "$work/one" && grep -q '^Once upon a time' "$work/two"; then ok "two make run side by side"
else not "two make run side by side" "$status_one $status_two $(tail -n 2 "$work/one" "$work/two")"; fi

refuses "no target 'tset'. Did you mean: make test?" tset
refuses "no target 'isntall'. Did you mean: make install?" isntall
refuses "no target 'xyzzy'. make help is the menu" xyzzy
refuses "no target 'it's'. make help is the menu" "it's"

# What is missing is said in one sentence, and before anything is built: here by a compiler that sees two headers less.
printf '#!/bin/sh\ncase " $* " in *" -E "*) if grep -q -e cmocka -e microhttpd; then exit 1; fi ;; esac\nexec cc "$@"\n' >"$work/cc"
chmod +x "$work/cc"
says_first() { # says_first PATTERN WORD...: refused with it alone, nothing built
    refuses "$@" BUILD="$work/nothing" CC="$work/cc"
    if [ "$(grep -c -v -e '^make: \*\*\*' "$work/out")" -eq 1 ]; then ok "and nothing else is said"; else not "and nothing else is said" "$(cat "$work/out")"; fi
}
says_first "make test: missing: cmocka. Install" test
says_first "make test: missing: cmocka. Install" test 1
says_first "make check: missing: cmocka" check
says_first "make soak: missing: cmocka, libmicrohttpd. Install" soak
refuses "make test: missing: cmocka. Install" -C layer1_tensor test BUILD="$work/nothing" CC="$work/cc"
mkdir "$work/bin"
for tool in sh env make mkdir dirname basename grep sed awk uname nproc cc python3 git sort tail; do
    ln -s "$(command -v $tool)" "$work/bin/" 2>/dev/null
done
all_tools=$PATH
PATH=$work/bin
says_first "make format: missing: clang-format. Install" format
says_first "make check: missing: cmocka, clang, clang-format, cppcheck. Install" check
says_first "make fuzz: missing: clang. Install" fuzz
says_first "make deb: missing: dpkg-deb. Install" deb
says_first "make container: missing: podman or docker. Install" container
PATH=$all_tools
# npm is asked for nothing, unless NPM=1 is said: in a tree where it has not been.
mkdir -p "$work/tree/tests/peers"
cp tests/needs.sh "$work/tree/tests/" && cp tests/peers/*.sh tests/peers/*.mjs "$work/tree/tests/peers/"
printf '#!/bin/sh\ntouch "%s/npm was called"\n' "$work" >"$work/bin/npm"
chmod +x "$work/bin/npm"
for line in "$work/tree/tests/needs.sh peers" "$work/tree/tests/peers/run.sh"; do
    (PATH=$work/bin:$PATH; unset NPM LLAMA_CPP; $line) >"$work/out" 2>&1
    if grep -q 'NPM=1 installs' "$work/out" && [ ! -e "$work/npm was called" ]; then ok "${line##*/} does not install"
    else not "${line##*/} does not install" "$(cat "$work/out")"; fi
done
# Nor does make clients, where there is nothing that it could try; it says so.
mkdir -p "$work/tree/tests/clients" "$work/tree/build/bin"
cp tests/clients/run.sh "$work/tree/tests/clients/"
(PATH=$work/bin:$PATH; "$work/tree/tests/clients/run.sh") >"$work/out" 2>&1
if grep -q '^CLIENTS NOT TRIED: strata serve is not built' "$work/out" && [ ! -e "$work/npm was called" ]; then ok "make clients says that it tries nothing"
else not "make clients says that it tries nothing" "$(cat "$work/out")"; fi
# A long run of its own has all cores: the makes in it know of no others.
real_make=$(command -v make)
printf '#!/bin/sh\necho "flags: ($MAKEFLAGS)"\nexit 1\n' >"$work/bin/make.new"
chmod +x "$work/bin/make.new" && mv -f "$work/bin/make.new" "$work/bin/make"
if printf '#include <microhttpd.h>\n' | ${CC:-cc} -E - >/dev/null 2>&1; then
    PATH=$work/bin:$PATH "$real_make" -s soak >"$work/out" 2>&1
    if grep -q -F 'flags: ()' "$work/out"; then ok "make soak takes all cores"; else not "make soak takes all cores" "$(cat "$work/out")"; fi
fi
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
shown=$(sed -n '/^Once upon a time/,/^\[llama/p' README.md | sed '$d' | tr -s ' \n' ' ')
if [ "$told" = "$shown" ]; then ok "the README shows the story that make run tells"; else not "the README shows the story that make run tells" "$told"; fi
if [ -z "$(make -s 2>&1)" ]; then ok "nothing to build, nothing said"; else not "nothing to build, nothing said" "$(make -s 2>&1)"; fi

# A source tree that cannot be written: make says so, and builds elsewhere.  The objects are copied, all but one.
tree="$work/read only"
mkdir "$tree"
git ls-files -z | tar --null -T - -cf - | tar -xf - -C "$tree"
elsewhere=$work/elsewhere
mkdir "$elsewhere"
cp -a build/bin build/lib build/layer[1-6]_* "$elsewhere"
rm -rf "$elsewhere/layer1_tensor/src/arena.o" "$elsewhere/lib/libtensor.a"
as=
if [ "$(id -u)" -eq 0 ]; then as="setpriv --reuid 65534 --regid 65534 --clear-groups"; chown -R 65534 "$elsewhere" && chmod 755 "$work"; fi
chmod a-w "$tree" "$tree"/*
if $as true 2>/dev/null; then
    in_tree() { (cd "$tree" && HOME=$work $as make -s "$@") >"$work/out" 2>&1; }
    in_tree run && not "a tree that cannot be written" "$(cat "$work/out")"
    if grep -q 'make: build cannot be written. Build elsewhere: make BUILD=' "$work/out"; then ok "a tree that cannot be written"; else not "a tree that cannot be written" "$(head -3 "$work/out")"; fi
    if in_tree BUILD="$elsewhere" run && grep -q '^Once upon a time' "$work/out" && [ -e "$elsewhere/layer1_tensor/src/arena.o" ]; then ok "is built and run elsewhere"; else not "is built and run elsewhere" "$(head -5 "$work/out")"; fi
    if in_tree BUILD="$elsewhere" test 1 && grep -q ' passed, 0 failed' "$work/out"; then ok "and tested there"; else not "and tested there" "$(tail -5 "$work/out")"; fi
    if in_tree BUILD="$elsewhere" install PREFIX="$elsewhere/usr" && "$elsewhere/usr/bin/strata" --version >/dev/null; then ok "and installed from there"; else not "and installed from there" "$(tail -5 "$work/out")"; fi
else
    echo "no setpriv: as root, every folder can be written"
fi
chmod u+w "$tree" "$tree"/*

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
for n in top words shares 5; do
    if make -s worked $n SENTENCE="$sentence" 2>&1 | grep -q -F -- "$sentence"; then ok "a sentence is what was given, $n"; else not "a sentence is what was given, $n" "$(make -s worked $n SENTENCE="$sentence" 2>&1 | head -3)"; fi
done
make -s worked grammar SENTENCE='The fox met two' GRAMMAR='root ::= " owls"+ "!"' >"$work/out" 2>&1
if grep -q -F '(_owls){1,}!' "$work/out"; then ok "the worked exercise of grammars takes one"; else not "the worked exercise of grammars takes one" "$(tail -3 "$work/out")"; fi
refuses "line 1, column" worked grammar GRAMMAR='root ::= ('
make -s -C layer6_inference worked WORKED=grammar ARGS=--csv >"$work/csv"
if [ "$(awk -F, 'NF != 5' "$work/csv" | wc -l)" -eq 0 ] && grep -q ',complete,' "$work/csv"; then ok "and prints CSV"; else not "and prints CSV" "$(head -3 "$work/csv")"; fi
make -s -C layer5_models worked WORKED=words ARGS=--csv >"$work/csv" 2>/dev/null
if [ "$(awk -F, 'NF != 7' "$work/csv" | wc -l)" -eq 0 ] && [ "$(grep -c -e ',bytes,' -e ',unigram,' "$work/csv")" -eq 10 ]; then ok "five vocabularies, as CSV"; else not "five vocabularies, as CSV" "$(head -3 "$work/csv")"; fi
make -s worked shares SENTENCE='The fox lost his hat' >"$work/out" 2>&1
if grep -q 'fox' "$work/out" && grep -q ' numbers 0 have other bits than on one machine' "$work/out" &&
    [ "$(grep -c 'three machines  [1-9]' "$work/out")" -eq 1 ]; then ok "rows keep all bits, columns do not"; else not "rows keep all bits, columns do not" "$(tail -3 "$work/out")"; fi
make -s -C layer5_models worked WORKED=shares ARGS=--csv SENTENCE='The fox' >"$work/csv" 2>/dev/null
if [ "$(awk -F, 'NF != 5' "$work/csv" | wc -l)" -eq 0 ] && grep -q '^1,2,multiply these words,512,2112$' "$work/csv" && grep -q '^3,1,its rows of the product,288,1156$' "$work/csv"; then ok "messages of machines, as CSV"; else not "messages of machines, as CSV" "$(head -3 "$work/csv")"; fi
refuses "cannot spell" worked 1 SENTENCE='Ωmega'
refuses "a shorter sentence" worked 5 SENTENCE="$(seq -s " " 100)"
refuses "two words" worked 3 SENTENCE='a'
for n in top words shares grammar 1 2 3 4 5 6; do refuses "argument '--cvs': wanted --csv" worked $n ARGS="--cvs"; done
for n in top words shares grammar 1 2 3 4 5 6; do
    [ -e /dev/full ] || break
    if make -s worked $n 2>"$work/err" >/dev/full; then not "worked exercise $n on a full disk" "exit status 0"
    elif grep -q "worked: standard output is full" "$work/err"; then ok "worked exercise $n on a full disk"
    else not "worked exercise $n on a full disk" "$(head -3 "$work/err")"; fi
done
refuses "argument 'twice': wanted --csv" worked 1 ARGS="--csv twice"

# A person at a terminal is asked for a guess first; nobody else is waited for.
if script --version 2>/dev/null | grep -q util-linux; then
    for n in top words shares 1 2 3 4 5 6; do
        yes 2>/dev/null | head -50 | timeout 60 script -qec "make -s worked $n" /dev/null >"$work/out" 2>&1
        if grep -q 'A guess first: ' "$work/out"; then ok "worked exercise $n asks first"; else not "worked exercise $n asks first" "$(tail -3 "$work/out")"; fi
    done
fi
if make -s worked top </dev/null | grep -q 'guess first'; then not "a plain run asks nothing" "it asks"; else ok "a plain run asks nothing"; fi
