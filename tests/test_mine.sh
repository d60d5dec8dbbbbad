#!/bin/sh
# The capstone's desk: programs that are missing, in another language, wrong, endless or crashing.
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
[ -z "$SAN$TSAN" ] || { ok "the desk is of the plain build"; exit 0; }
desk="exercises/capstone/desk mine"
MINE_DESK=$work/mine MINE_OUT=$work/judged
export MINE_DESK MINE_OUT
mkdir "$MINE_DESK"

expect "the menu begins with the first" 0 "next: make mine 1 " $desk menu
expect "no chapter 14" 2 "no chapter '14'" $desk grade 14
expect "nor foo" 2 "no chapter 'foo'" $desk grade foo
expect "a chapter tells its contract" 0 "must have: bytes FILE" $desk grade 1
expect "whole, as on its page" 0 "each byte value that occurs in FILE" $desk grade 1
expect "and where to write" 0 "not started" $desk grade 1
echo 'int main(void) { return 1' >"$MINE_DESK/mine.c"
expect "what does not compile" 1 "does not compile" $desk grade 1
echo 'int main(void) { for (;;) {} }' >"$MINE_DESK/mine.c"
JUDGE_LIMIT=1 expect "a loop that never ends" 1 "not done after 1 seconds" $desk grade 1
echo 'int main(void) { return *(volatile int *)0; }' >"$MINE_DESK/mine.c"
expect "a crash" 1 "ended with status 139" $desk grade 1
echo 'int main(void) { return 0; }' >"$MINE_DESK/mine.c"
expect "to print nothing is not to pass" 1 "print lines" $desk grade 1
cp exercises/mine/whole.c "$MINE_DESK/mine.c"
expect "whole.c passes" 0 "passed: what a text is made of" $desk grade 1
expect "which is noted" 0 "next: make mine 2 " $desk menu
for n in 2 3 4 5 6 7 8 9 10; do expect "so does chapter $n" 0 "next: make mine $((n + 1))" $desk grade $n; done

# The first chapter in another language: od gives the bytes, awk counts.
cat >"$MINE_DESK/mine.sh" <<'AWK'
[ "$1" = bytes ] || exit 2
od -An -v -tu1 -w1 "$2" | awk '{ n[$1 + 0]++; all++ } END { for (b = 0; b < 256; b++) if (n[b]) { print b, n[b]; h -= n[b] / all * log(n[b] / all) } print "entropy", h }'
AWK
echo "sh $MINE_DESK/mine.sh" >"$MINE_DESK/run"
expect "so does any language" 0 "passed" $desk grade 1
expect "as far as it goes" 1 "ended with status 2" $desk grade 2
rm "$MINE_DESK/run"
MINE_SEED=5 expect "a seed gives the same input" 0 "passed" $desk grade 5
one=$(cat "$MINE_OUT/in")
MINE_SEED=5 expect "again" 0 "passed" $desk grade 5
same "to the byte" "$one" "$(cat "$MINE_OUT/in")"
expect "none gives another" 0 "passed" $desk grade 5
if [ "$one" = "$(cat "$MINE_OUT/in")" ]; then not "none gives another input" "the same"; else ok "none gives another input"; fi
