# What exercises/capstone/desk needs to know of this capstone.
TITLE="A language model from the empty file"
DONE="the model is yours"
FAST="11 12"  # chapters that learn against the clock
UNCHECKED=13  # ten minutes of training

before_grade() { [ "$1" -lt 13 ] || say "training for ${MINE_SECONDS:-600} seconds, then 50 stories ..."; }

# Chapter 12 reads the model that chapter 11 leaves.
before_check() { [ "$1" != 12 ] || judge 11 "$OUT/whole" "$check_seed" >/dev/null; }
before_mutants() {
    export MINE_SECONDS=6 # what is wrong shows sooner than what has been learned
    [ ! -e "$OUT/mine.gguf" ] || cp "$OUT/mine.gguf" "$OUT/whole.gguf"
}
before_mutant() { [ "$1" != 12 ] || cp "$OUT/whole.gguf" "$OUT/mine.gguf"; }
