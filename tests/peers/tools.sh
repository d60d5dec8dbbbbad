#!/bin/sh
# Where a user's llama.cpp keeps its programs: in LLAMA_CPP, or below it; and a median.  For the scripts beside this one.
find_tool() {
    for folder in "$LLAMA_CPP/build/bin" "$LLAMA_CPP/bin" "$LLAMA_CPP"; do
        if [ -x "$folder/$1" ]; then echo "$folder/$1" && return; fi
    done
}

# Of the numbers on standard input; fails if there are none.
median() { sort -n | awk '{ x[NR] = $1 } END { if (NR == 0) exit 1; print x[int((NR + 1) / 2)] }'; }
