#!/bin/sh
# The second capstone's desk: whole.c passes, and programs that are missing, endless, silent, endlessly talking or asleep are refused.
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
[ -z "$SAN$TSAN" ] || { ok "the desk is of the plain build"; exit 0; }
desk="exercises/capstone/desk engine"
ENGINE_DESK=$work/engine ENGINE_OUT=$work/judged
export ENGINE_DESK ENGINE_OUT
mkdir "$ENGINE_DESK"

expect "the menu begins with the first" 0 "next: make engine 1 " $desk menu
expect "no chapter 14" 2 "no chapter '14'" $desk grade 14
expect "no third capstone" 2 "mine|engine" exercises/capstone/desk other menu
expect "a chapter tells its contract" 0 "must have: read MODEL" $desk grade 1
expect "whole, as on its page" 0 "a tensor of one dimension has 1 row" $desk grade 1
program() { echo "#include <stdio.h>
#include <unistd.h>
int main(void) { $1 }" >"$ENGINE_DESK/engine.c"; }
program 'return 0;'
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13; do expect "to print nothing is not to pass chapter $n" 1 "hint:" $desk grade $n; done
program 'for (;;) puts("0 0 0 0 0 0 0 0 0 0 0 0");'
expect "a program that never stops printing" 1 "wrote more than 64 MB\|a loop that never ends" $desk grade 3
program 'sleep(100);'
JUDGE_LIMIT=0.5 expect "a program that sleeps" 1 "what does it wait for" $desk grade 3
program 'for (int i = 0; i < 5000; i++) puts("nan"); return 0;'
for n in 3 6 7 9 11; do expect "numbers that are none in chapter $n" 1 "hint:" $desk grade $n; done
program 'return *(volatile int *)0;'
expect "a crash" 1 "ended with status 139" $desk grade 9
cp exercises/engine/whole.c "$ENGINE_DESK/engine.c"
for n in 1 2 3 4 6 9 11 12 13; do expect "whole.c passes chapter $n" 0 "passed: " $desk grade $n; done
expect "which is noted" 0 "next: make engine 5 " $desk menu
unset ENGINE_DESK
for n in 1 2 3 4 6 9 12; do EVERY=5 expect "broken variants in chapter $n" 0 "broken variants are refused" $desk check $n; done
