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
expect "and a page that can be read" 0 "layer1/strides.html" $desk start 1.1
rm "$DESK"/1.1*
cp layer3_nn/src/softmax.c "$DESK/3.1_softmax.c"
expect "the library's own passes" 0 "passed       3.1" $desk grade 3.1
expect "the menu goes on" 0 "1 of 48 passed" $desk menu

# The body of softmax, replaced.
body() {
    awk -v body="$1" '/^void softmax\(/ { print "#include <unistd.h>\n" $0 "\n    " body; skip = 1 } skip && /^}/ { skip = 0 } !skip' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
}
body '(void)n, (void)x, (void)out; _exit(0);'
expect "to leave is not to pass" 1 "left before its end" $desk grade 3.1
body '(void)x, (void)out; if (n > 300) _exit(0); for (volatile int i = 1; i; ) {}'
SECONDS_EACH=1 expect "an endless loop ends" 1 "not done after 1 seconds" $desk grade 3.1
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
answer 6.12 "Yes." 0 passed
answer 6.12 "no" 1 hint
