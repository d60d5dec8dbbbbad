#!/bin/sh
# The learner's desk: what it answers to work that is missing, wrong, endless or crashing, and to words it does not know.
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
[ -z "$SAN$TSAN" ] || { ok "the desk is of the plain build"; exit 0; }
desk=exercises/desk
DESK=$work/desk
export DESK
mkdir "$DESK"

for words in "menu 9" "menu foo" "grade foo" "grade 9" "grade 3.99" "start" "start 7.1" "hint x" "link 7" "check 9.1"; do
    # shellcheck disable=SC2086
    expect "desk $words" 2 "." $desk $words
done
expect "menu begins with the first" 0 "next: make start 1.1 " $desk menu
expect "a layer's menu begins with its first" 0 "next: make start 3.1 " $desk menu 3
processes=$(sh -c "times; $desk menu >/dev/null; times" | tail -1)
case $processes in 0m0.[01]*' 0m0.'*) ok "the menu is quick" ;; *) not "the menu is quick" "$processes" ;; esac

expect "start names the contract" 0 "softmax.h:" $desk start 3.1
expect "or the page, where no comment says it" 0 "apply, as the page docs/layer6/temperature.md says" $desk start 6.1
expect "or the comment above it in the file" 0 "attend, as $DESK/4.5_block.c:[0-9]* says" $desk start 4.5
expect "the header is of the same layer" 0 "load, as the page docs/layer1/gguf.md says" $desk start 1.4
rm "$DESK"/[146].*
expect "and a page that can be read" 0 "layer1/strides.html" $desk start 1.1
rm "$DESK"/1.1*
expect "what was never started is not reset" 2 "1.1 was never started" $desk reset 1.1
same "and not started so" "$(find "$DESK" -name '1.1*')" ""
echo mine >"$DESK/1.5.txt"
expect "reset begins anew" 0 "1.5.txt is ready" $desk reset 1.5
same "and keeps what was there" "$(cat "$DESK/1.5.txt.old")" mine
rm "$DESK"/1.5*
cp layer3_nn/src/softmax.c "$DESK/3.1_softmax.c"
expect "the library's own passes" 0 "passed       3.1" $desk grade 3.1
expect "the menu goes on" 0 "1 of 48 passed" $desk menu
echo >>"$DESK/3.1_softmax.c"
expect "what changed has not passed" 0 "changed since it passed" $desk menu
expect "nor does the menu count it" 0 "0 of 48 passed" $desk menu
expect "nor is it linked" 1 "left out: 3.1 has changed since it passed: make grade 3.1" $desk link 3
expect "until it passes again" 0 "passed       3.1" $desk grade 3.1
expect "then it is" 0 "yours: softmax" $desk link 3

# The body of softmax, replaced.
body() {
    awk -v body="$1" '/^void softmax\(/ { print "#include <signal.h>\n#include <unistd.h>\n" $0 "\n    " body; skip = 1 } skip && /^}/ { skip = 0 } !skip' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
}
body '(void)n, (void)x, (void)out; _exit(0);'
expect "to leave is not to pass" 1 "left before its end" $desk grade 3.1
body '(void)x, (void)out; if (n > 300) _exit(0); for (volatile int i = 1; i; ) {}'
SECONDS_EACH=1 expect "an endless loop ends" 1 "not done after 1 seconds" $desk grade 3.1
body '(void)x, (void)n, (void)out; sleep(100);'
SECONDS_EACH=1 expect "and so does a sleep" 1 "not done after 3 seconds by the clock" $desk grade 3.1
body '(void)x, (void)n, (void)out; _exit(77);'
expect "to leave with 77 is not to be unwritten" 1 "left before its end (status 77)" $desk grade 3.1
body '(void)x, (void)n, (void)out; kill(getpid(), 9);'
expect "a signal is named" 1 "signal 9 ended it" $desk grade 3.1
body '(void)x, (void)n; *(volatile float *)0 = out[0];'
expect "a crash is named" 1 "segmentation fault" $desk grade 3.1
if echo 'int main(void) { return 0; }' | ${CC:-cc} -fsanitize=address,undefined -x c - -o "$work/probe" 2>/dev/null && "$work/probe"; then
    same "with its line" "$(grep -c '3.1_softmax.c:[0-9]*: .*volatile float' "$work/out")" 1
fi
CC="$work/cc" && printf '#!/bin/sh\ncase "$*" in *sanitize*) exit 1 ;; esac\nexec cc "$@"\n' >"$CC" && chmod +x "$CC" && export CC
expect "without sanitizers it says what to do" 1 "a debugger" $desk grade 3.1
unset CC

# 1.5 ANSWER: graded
answer() {
    printf 'ANSWER: %s\n' "$2" >"$DESK/$1.txt"
    expect "the answer '$2' to $1" "$3" "$4" $desk grade "$1"
}
answer 1.5 "6,488,064" 0 passed
answer 1.5 "6488064 bytes" 0 passed
answer 1.5 "5767168" 1 "a scale of two bytes"
answer 1.5 "many" 1 "two for the scale"
answer 4.6 "1024" 0 passed
answer 4.6 "2048" 1 "F16 takes two"
answer 6.12 "token 7." 0 passed
answer 6.12 "yes" 1 hint
for words in nan -nan inf "" "  " 1e999 0x10; do
    for number in 1.5 1.7 2.6 6.11; do
        printf 'ANSWER: %s\n' "$words" >"$DESK/$number.txt"
        expect "'$words' is no answer to $number" 1 "$number " $desk grade $number
    done
done
for words in "1.5 6488064 MiB" "1.5 6488064 tokens" "1.5 6430000" "2.6 13.1 bytes" "4.6 1024 ms" "6.10 3.02"; do
    answer "${words%% *}" "${words#* }" 1 hint
done
answer 4.6 "1024 ms" 1 "another unit than the one asked for (known here: MiB, GiB"
for words in "4.6 1 GiB" "2.6 0.013125 s" "3.6 66.5%" "1.7 none" "1.7 zero" "6.10 3 of them" "5.5 step 5000"; do
    answer "${words%% *}" "${words#* }" 0 passed
done
