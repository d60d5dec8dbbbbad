#!/bin/sh
# The learner's desk: what it answers to work that is missing, wrong, endless or crashing, and to words it does not know.
. "$(dirname "$0")/program.sh"
cd "$here/.." || exit 1
[ -z "$SAN$TSAN" ] || { ok "the desk is of the plain build"; exit 0; }
desk=exercises/desk
DESK=$work/desk
export DESK
mkdir "$DESK"

for words in "menu 9" "menu foo" "grade foo" "grade 9" "grade 3.99" "watch foo" "start 7.1" "start 7" "hint x" "hint 3" "link 7" "run 7" "run all walk"; do
    # shellcheck disable=SC2086
    expect "desk $words" 2 "." $desk $words
done
expect "check refuses it as well" 2 "no exercise '9.1'" exercises/check 9.1
mkdir -p "$work/bare" && cp -r exercises library "$work/bare" && tar -cf - layer*/exercise | tar -xf - -C "$work/bare"
expect "and says what to build" 2 "not built: make check-exercises 3.16 builds it" "$work/bare/exercises/check" 3.16
expect "nor two names where one is taken" 2 "'3.16 3.17': wanted one layer or exercise" exercises/check 3.16 3.17
expect "one in none is no sample" 2 "EVERY is '0': wanted an integer from 1" env EVERY=0 exercises/check 3.16
expect "nor is a word a seed" 2 "MUTANT_SEED is 'x': wanted an integer" env MUTANT_SEED=x exercises/check 3.16
expect "one exercise at a time" 2 "takes one exercise or layer: 3.1, and then 3.2" exercises/desk grade 3.1 3.2
wrong=0
for seed in 100 101 102; do
    expect "one in three, of seed $seed" 0 "^  1 of 1  ok     3.16 .* [0-9]* s$" env EVERY=3 MUTANT_SEED=$seed exercises/check 3.16
    refused=$(sed -n 's/^1 exercises as they should be: \([0-9]*\) wrong works refused.*/\1/p' "$work/out")
    wrong=$((wrong + ${refused:-0}))
done
same "three in a row take each wrong work once" "$wrong" "$(exercises/check --counts 3.16 | awk '$1 == "3.16" { print $2 }')"
printf '#!/bin/sh\ncase "$*" in *try.c*) exit 1 ;; esac\nexec cc "$@"\n' >"$work/cc" && chmod +x "$work/cc"
expect "what is not as it should be is shown" 1 "^FAILED: exercises 3.16" env EVERY=9 CC="$work/cc" exercises/check 3.16
same "with its reason" "$(grep -c '^3.16: .* fails, though it is right$' "$work/out")" "$(exercises/check --counts 3.16 | awk '$1 == "3.16" { print $3 }')"
expect "menu begins with the first" 0 "next: 6.6, .*, about [0-9]* minutes: make start 6.6$" $desk menu
same "the core is thirty exercises that exist, each once" "$(grep -c '^  [1-6]' "$work/out") $(sed -n '/^[^#]/s/.* | //p' exercises/core.txt | tr ' ' '\n' | sort -u | while read -r n; do grep -h "^$n " layer*/exercise/holes.txt; done | wc -l | tr -d ' ')" "30 30"
expect "all of them are listed, too" 0 "next: 1.1, .*: make start 1.1$" $desk menu all
exercises=$(cat layer*/exercise/holes.txt | grep -c '^[1-6]')
same "each once" "$(grep -c '^  [1-6]' "$work/out")" "$exercises"
same "as many as README.md and the map say" "$(grep -ho 'make learn all`: [0-9]*' README.md docs/map.md)" "$(printf 'make learn all`: %d\n' "$exercises" "$exercises")"
expect "menu begins with the core's first" 0 "next: 6.6" $desk menu
same "and says why" "$(grep -A 1 '^next' "$work/out" | tail -1)" "      $(sed -n 's/^> //p' "docs/$(awk -F' [|] ' '$1 == "6.6" { print $5 }' layer6_inference/exercise/holes.txt).md" | head -1)"
expect "a layer's menu begins with its first" 0 "next: 3.1, .*: make start 3.1$" $desk menu 3
same "under the layer's name, with progress" "$(grep -c '^layer 3: what a network does to one vector (0 of [0-9]* passed)$' "$work/out")" 1
processes=$(sh -c "times; $desk menu >/dev/null; times" | tail -1)
case $processes in 0m0.[01]*' 0m0.'*) ok "the menu is quick" ;; *) not "the menu is quick" "$processes" ;; esac

expect "start names the contract" 0 "softmax.h:" $desk start 3.1
same "and prints it" "$(grep -c 'Turn scores into probabilities\|Needs    n > 0\|void softmax(float \*out, const float \*x, size_t n);' "$work/out")" 3
expect "or what stands above it in the file" 0 "Divides all logits by T" $desk start 6.8
expect "or the comment above it in the file" 0 "add_rest, as $DESK/3.8_linear.c:[0-9]* says" $desk start 3.8
expect "one exercise of a file" 0 "inverse_rms, as layer3_nn/include/norm.h" $desk start 3.4
same "has no types of the others" "$(grep -c 'NormRows\|exercise_todo("3.4")' "$DESK"/3.4*)" 2
rm "$DESK"/3.[48]* "$DESK"/6.*
expect "to start is to start the next" 0 "6.6_pick_best.c is ready" $desk start
same "with a page that can be read" "$(grep -c 'the page: .*layer6/greedy.html' "$work/out")" 1
expect "a layer's word opens its next" 0 "3.1_softmax.c already exists" $desk start 3
rm "$DESK"/[13].1*
expect "a broken file shows what one sees" 0 "2 of them likely\|two of them likely" $desk start 6.16
same "and not where it comes from" "$(grep -c 'drop' "$work/out")" 0
rm "$DESK"/6.16*
expect "a starter is not graded" 1 "^3.1 is not started: .*3.1_softmax.c" sh -c "$desk start 3.1 >/dev/null; BUILD_FIRST='touch $work/built' $desk grade 3.1"
same "and nothing is built for it" "$(ls "$work/built" 2>&1 | grep -c '^/')" 0
expect "nor is an answer" 1 "^1.4 is not started: " sh -c "$desk start 1.4 >/dev/null; BUILD_FIRST='touch $work/built' $desk grade 1.4"
echo >>"$DESK/3.1_softmax.c"
expect "what was touched is" 1 "not written  3.1" env BUILD_FIRST="touch $work/built" $desk grade 3.1
same "after the build" "$(ls "$work/built")" "$work/built"
expect "which may fail" 2 "." env BUILD_FIRST="ls $work/nothing" $desk grade 3.1
same "and then nothing is graded" "$(grep -c 'not written' "$work/out")" 0
expect "a machine without a compiler is told" 2 "there is no C compiler 'no-such-cc': make deps" env CC=no-such-cc $desk grade 3.1
rm "$DESK"/[13].*
expect "hints come one by one" 0 "hint 1 of 3: Run it by hand" $desk hint 6.16
expect "and say more" 0 "hint 2 of 3: .*least likely" $desk hint 6.16
expect "to the last" 0 "hint 3 of 3: .*n - 1" $desk hint 6.16
expect "which is the last" 0 "that was the last one" $desk hint 6.16
expect "what was never started is not reset" 1 "1.1 was never started" $desk reset 1.1
same "and not started so" "$(find "$DESK" -name '1.1*')" ""
echo mine >"$DESK/1.4.txt"
expect "reset begins anew" 0 "your work is kept as $DESK/1.4.txt.old$" $desk reset 1.4
same "with the starter" "$(grep -c '1.4.txt is ready' "$work/out")" 1
echo again >"$DESK/1.4.txt"
expect "and once more" 0 "your work is kept as $DESK/1.4.txt.old.2$" $desk reset 1.4
expect "a starter is not kept" 0 "there is nothing to reset" $desk reset 1.4
same "but all that was there" "$(cat "$DESK"/1.4.txt.old*)" "mine
again"
rm "$DESK"/1.4*
cp layer3_nn/src/softmax.c "$DESK/3.1_softmax.c"
expect "the library's own passes" 0 "passed       3.1" $desk grade 3.1
expect "the menu goes on" 0 "^1 of the core's 30 passed" $desk menu
echo >>"$DESK/3.1_softmax.c"
expect "what changed has not passed" 0 "changed since it passed" $desk menu
expect "nor does the menu count it" 0 "^0 of the core's 30 passed" $desk menu
expect "nor is it linked" 1 "left out: 3.1 has changed since it passed: make grade 3.1" $desk link 3
expect "until it passes again" 0 "passed       3.1" $desk grade 3.1
expect "then it is" 0 "yours: softmax]" $desk link 3
export SCORE_SECONDS=0.01
expect "the score board lists what is timed" 0 "3.1 *softmax *softmax of 128,000 scores" $desk score
expect "its speed is scored" 0 "^score: [0-9.]* % of the library's speed, your best$" $desk score 3.1
expect "and kept" 0 "3.1 *softmax *[0-9.]* % of the library, [0-9.]* GB/s" $desk score
sed 's/^void softmax(.*/&\n    for (volatile int wait = 0; wait < 30000000; wait++) {}/' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
expect "what has changed is graded first" 1 "make grade 3.1 first" $desk score 3.1
cksum <"$DESK/3.1_softmax.c" | sed 's/ /-/; s/^/3.1 passed /' >"$DESK/progress.txt"
expect "a slower one does not become the best" 0 "(your best: " $desk score 3.1
expect "what is slow is told from plain C" 0 "yours .* 0\.[0-9]* times plain C" $desk score 3.1
printf '#include "softmax.h"\nvoid softmax(float *o, const float *x, size_t n) { abort(); }\n' >"$DESK/3.1_softmax.c"
cksum <"$DESK/3.1_softmax.c" | sed 's/ /-/; s/^/3.1 passed /' >"$DESK/progress.txt"
expect "what crashes has no score" 1 "does not end well with the size" $desk score 3.1
expect "nor has what is not timed" 2 "the speed of 2.2 is not scored" $desk score 2.2
cp layer3_nn/src/softmax.c "$DESK/3.1_softmax.c"
expect "it passes again" 0 "passed       3.1" $desk grade 3.1
expect "the debugging labs are listed" 0 "D7 *story *the lost last letters" $desk debug
expect "a lab is a folder with a program" 0 "D7 is ready: the lost last letters" $desk start D7
expect "with a symptom" 0 "The symptom: A stop string" $desk start D7
expect "whose program has the defect" 0 "^Once upon a time there$" "$DESK/D7/strata" generate --chain greedy --stop "re was" -n 20 --quiet
expect "and the library's has not" 0 "^Once upon a time the$" build/bin/strata generate --chain greedy --stop "re was" -n 20 --quiet
expect "as it comes it fails" 1 "not yet      D7" $desk grade D7
expect "its first hint" 0 "hint 1 of 3: Where does a token end" $desk hint D7
cp layer6_inference/src/output/stream.c "$DESK/D7/layer6_inference/src/output/"
expect "mended it passes" 0 "passed       D7" $desk grade D7
expect "and is marked so" 0 "D7 .* passed$" $desk debug
for wait in "pause()" "for (;;) s->stopped = false"; do
    { echo "#include <unistd.h>" && sed "s/^    if (s->stopped) return false;/    $wait;/" layer6_inference/src/output/stream.c; } >"$DESK/D7/layer6_inference/src/output/stream.c"
    SECONDS_EACH=1 expect "a run with $wait is ended" 1 "not done after [13] seconds.*: a loop that never ends" $desk grade D7
done
cp layer6_inference/src/output/stream.c "$DESK/D7/layer6_inference/src/output/"
echo "}" >>"$DESK/D7/layer6_inference/src/output/utf8.c"
expect "what does not compile fails" 1 "not yet      D7" $desk grade D7
echo >>"$DESK/D7/layer6_inference/include/utf8.h"
expect "a header is not where it is" 1 "utf8.h differs from the library's" $desk grade D7
expect "reset keeps the folder" 0 "your work is kept as $DESK/D7.old" $desk reset D7
expect "there is no such lab" 2 "no debugging lab 'D99'" $desk start D99
rm -rf "$DESK"/D7*
expect "a story does not call it, and says what does" 0 "3.1 *softmax *never; make run MINE=all RUN=train calls it" $desk run all
same "and how the share is counted" "$(tail -1 "$work/out")" "how much of what runs for each token is yours: make run MINE=all RUN=share"
same "and is the same" "$(grep "^same story" "$work/out")" "same story as the library's, to the bit: yes"
expect "a training does" 0 "3.1 *softmax *[0-9,]* times" $desk run all train
same "to the same model" "$(grep "^same run" "$work/out")" "same run as the library's, to the bit: yes"
expect "a layer's next is the one after" 0 "3.2.txt is ready" $desk start 3
rm "$DESK"/3.2*

# A sampler that passed, they say, and does nothing; one whose numbers are a little off.
temper() { # temper FACTOR
    awk -v factor="$1" '/^static void apply/ { on = 1 } on && /candidates_scale/ { sub(/1 \/ t/, factor) } { print }' layer6_inference/src/samplers/temp.c >"$DESK/6.8_temp.c"
    printf '6.8 passed %s\n' "$(cksum <"$DESK/6.8_temp.c" | tr ' ' '-')" >"$DESK/progress.txt"
}
PROMPT="Once upon a" CHAIN=temp:0.9 SEED=3
export PROMPT CHAIN SEED
temper "0.001f"
expect "samplers are called by their names" 0 "6.8 *temp *[0-9]* times" $desk run 6
same "another story parts" "$(grep -c 'to the bit: no$' "$work/out")" 1
same "at a token, with both logits" "$(grep -c '^  at token [0-9]*, after temp: the logit of ".*" is [-0-9.e]*, and the library.s [-0-9.e]*$' "$work/out")" 1
temper "(float)(1 / t) * 1.000001f"
expect "the same words are not yet the same" 0 "to the bit: no; the words are the same" $desk run 6
unset PROMPT CHAIN SEED
rm "$DESK/6.8_temp.c"

# Watching: graded at once, and again when it is saved.
awk '{ sub(/1 \/ vector_sum\(out, n\)/, "1"); print }' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
$desk watch 3.1 >"$work/watched" 2>&1 &
watcher=$!
seen() { for _ in $(seq 300); do grep -q "$1" "$work/watched" && return; sleep 0.2; done; }
seen "not yet      3.1"
cp layer3_nn/src/softmax.c "$DESK/3.1_softmax.c"
seen "passed       3.1"
kill $watcher
wait $watcher
same "watch grades what is saved, and ends when told" "$? $(grep -c '^not yet  *3.1' "$work/watched") $(grep -c '^passed  *3.1' "$work/watched")" "0 1 1"
rm "$DESK"/3.1*
expect "watch needs something to watch" 1 "make start 3.1 begins it" $desk watch 3.1

# The body of softmax, replaced.
body() {
    awk -v body="$1" '/^void softmax\(/ { print "#include <pthread.h>\n#include <signal.h>\n#include <unistd.h>\n" $0 "\n    " body; skip = 1 } skip && /^}/ { skip = 0 } !skip' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
}
body '(void)x, (void)out; for (volatile size_t i = n; i < n + 1; ) {}'
SECONDS_EACH=1 expect "an endless loop ends" 1 "not done after [13] seconds" $desk grade 3.1
body '(void)x, (void)n, (void)out; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&m); pthread_mutex_lock(&m);'
SECONDS_EACH=1 expect "and so does waiting" 1 "not done after 3 seconds by the clock" $desk grade 3.1
body '(void)x, (void)n, (void)out; __builtin_trap();'
expect "a signal is named" 1 "an illegal instruction" $desk grade 3.1
body '(void)x, (void)n, (void)out; _exit(0);'
expect "who leaves has not passed" 1 "your file calls _exit" $desk grade 3.1
body '(void)x, (void)n, (void)out; pthread_exit(NULL);'
expect "nor who leaves another way" 1 "ended too early (status 0)" $desk grade 3.1
body '(void)x, (void)n, (void)out; } int memcmp(const void *a, const void *b, size_t n) { (void)a, (void)b, (void)n; return 0;'
expect "nor who takes a name that others call" 1 "the library has, or calls, a function named memcmp" $desk grade 3.1
echo >"$DESK/3.1_softmax.c"
expect "nor an empty file" 1 "the grader looks for softmax, and your file has no such function$" $desk grade 3.1
sed 's/^void softmax(/void sofmax(/' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
expect "a slip in a name is told" 1 "no such function; it has sofmax$" $desk grade 3.1
sed 's/vector_max(/vector_mx(/' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
expect "and one in a call" 1 "your file calls vector_mx, and there is no such function: did you mean vector_max?" $desk grade 3.1
same "in our words alone" "$(grep -c "undefined reference" "$work/out")" 0
expect "make adds nothing to not yet" 0 "^not yet      3.1" env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make grade 3.1
same "no line of its own" "$(grep -c '^make' "$work/out")" 0
for kept in "static int kept" "static int kept = 1" "static pthread_mutex_t m; (void)m; static int kept" "static int asan_kept; int kept = asan_kept++"; do
    body "(void)x, (void)n; $kept; out[0] = (float)kept++;"
    expect "$kept" 1 "kept outlives the call, .* make it const$" $desk grade 3.1
done
awk '/^void softmax[(]/ { print "#include <threads.h>\nstatic once_flag once = ONCE_FLAG_INIT;\nstatic double two;\nstatic void init(void) { two = 2; }" } { print } /^void softmax[(]/ { print "    static _Thread_local size_t own; own += n; if (!own) return;\n    call_once(&once, init); if (two < 2) return;" }' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
expect "what each thread has for itself, or is set but once, may stay" 0 "passed       3.1" $desk grade 3.1
sed 's/^void softmax(.*/float dot_f32_avx2(const float *, const float *, size_t);\n&\n    if (dot_f32_avx2(x, x, n) < 0) return;/' layer3_nn/src/softmax.c >"$DESK/3.1_softmax.c"
expect "a kernel is not called by its name" 1 "your file calls dot_f32_avx2" $desk grade 3.1
cp layer3_nn/src/softmax.c "$DESK/3.13_softmax.c"
expect "another function of its file is not asked for" 0 "passed       3.13" $desk grade 3.13
cp layer3_nn/src/softmax.c "$DESK/3.1_softmax.c"
# A layer's test that fails speaks in words and numbers, never in hexadecimal.
printf '#include "x.h"\nvoid test(void) {\n    assert_int_equal(pages_left(&kv),\n                     free_pages(3) + 1);\n}\n' >"$work/some_test.c"
printf '[ RUN      ] a_page_is_given_back\n[  ERROR   ] --- 0x1f != 0xfffffffffffffffe\n[   LINE   ] --- %s:3: error: Failure!\n[  FAILED  ] a_page_is_given_back\n' "$work/some_test.c" >"$work/run.log"
said=$(OUT=$work sh -c '. exercises/list.sh; . exercises/grading.sh; translate')
same "a failing test is translated" "$said" "  the layer's own test a_page_is_given_back, $work/some_test.c:3:
    assert_int_equal(pages_left(&kv),
    free_pages(3) + 1);
  got 31, expected -2"
printf '[ RUN      ] a_page_is_read\nERROR: out[7]: got 2, want 3 +- 1e-05\n[  ERROR   ] --- [   LINE   ] --- %s:2: error: Failure!\n[  FAILED  ] a_page_is_read\n' "$work/some_test.c" >"$work/run.log"
same "... and so are numbers that are not near" "$(OUT=$work sh -c '. exercises/list.sh; . exercises/grading.sh; translate' | tail -1)" "  out[7]: got 2, want 3 +- 1e-05"
printf '[ RUN      ] a_page_is_read\n[       OK ] a_page_is_read\n[ RUN      ] a_page_is_lost\nx.c:1: contract broken: no page\n' >"$work/run.log"
same "a test that crashes is named" "$(OUT=$work sh -c '. exercises/list.sh; . exercises/grading.sh; translate')" "  in the layer's test a_page_is_lost:"
body '(void)x, (void)n, (void)out; for (;;) puts("a line for whoever looks for a mistake");'
expect "what prints without end is stopped" 1 "it never stopped printing" $desk grade 3.1
same "... and its beginning shown" "$([ "$(wc -l <"$work/out")" -lt 300 ] && echo short)" short
body '(void)x, (void)n, (void)out; exit(1);'
expect "what leaves with status 1 is told" 1 "your file calls exit" $desk grade 3.1
body '(void)x, (void)n; *(volatile float *)0 = out[0];'
expect "a crash is named" 1 "segmentation fault" $desk grade 3.1
if echo 'int main(void) { return 0; }' | ${CC:-cc} -fsanitize=address,undefined -x c - -o "$work/probe" 2>/dev/null && "$work/probe"; then
    same "with its line" "$(grep -c '3.1_softmax.c:[0-9]*: .*volatile float' "$work/out")" 1
fi
CC="$work/cc" && printf '#!/bin/sh\ncase "$*" in *sanitize*) exit 1 ;; esac\nexec cc "$@"\n' >"$CC" && chmod +x "$CC" && export CC
expect "without sanitizers it says what to do" 1 "a debugger" $desk grade 3.1
unset CC

# Answers: a number with its unit, and graded.
plain() { # plain ANSWER UNITS NUMBER
    same "'$1' is $3" "$(sh -c '. exercises/list.sh; . exercises/answers.sh; plain_answer "$1" "$2"' - "$1" "$2")" "$3"
}
bytes="bytes,byte,b,KiB=1024,MiB=1048576"
plain "6,488,064" "$bytes" 6488064
plain "6488064 bytes." "$bytes" 6488064
plain "6336 KiB" "$bytes" 6488064
plain "64 + 44 = 108" "$bytes" 108
plain "1,7301504" "$bytes" 1,7301504
plain "$(printf '6,488,064 bytes\r')" "$bytes" 6488064
plain "about 25 ms" "ms,s=1000" 25
plain "0.025 s" "ms,s=1000" 25
plain "66.5%" "%=0.01" 0.665
plain "25 parsecs" "ms,s=1000" "25 parsecs"
plain "0,757" "%=0.01" 0,757
plain '"Colours."' "name,color,colour=color" color

answer() { # answer NUMBER ANSWER STATUS PATTERN
    printf 'ANSWER: %s\n' "$2" >"$DESK/$1.txt"
    expect "the answer '$2' to $1" "$3" "$4" $desk grade "$1"
}
right() { sed -n "s/^$1 | right | //p" layer*/exercise/answers.txt | head -1; }
# Words that are no answer to any: each exercise is given the next one.
set -- nan -nan inf "" "  " 1e999 0x10
for number in $(cat layer*/exercise/holes.txt | awk -F' [|] ' '$2 == "predict" || $2 == "plot" { print $1 }'); do
    answer "$number" "$(right "$number")" 0 "passed       $number"
    case $(right "$number") in [0-9]*) answer "$number" "$(right "$number") parsecs" 1 hint ;; esac
    answer "$number" "yes" 1 hint
    words=$1
    shift
    set -- "$@" "$words"
    printf 'ANSWER: %s\n' "$words" >"$DESK/$number.txt"
    expect "'$words' is no answer to $number" 1 "$number " $desk grade "$number"
done
answer 1.7 "$(right 1.7) ms" 1 "Answer with a number, alone or with one of these units (bytes, byte, b"
slip=$(sed -n 's/^1\.7 | \([^r].*\)/\1/p' layer1_tensor/exercise/answers.txt | head -1)
answer 1.7 "${slip%% | *}" 1 "${slip#* | }"
