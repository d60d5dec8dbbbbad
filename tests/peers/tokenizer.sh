#!/bin/sh
# Text to tokens beside llama.cpp's llama-tokenize: megabytes a second of one thread, and whether the tokens are the same.
#
#   LLAMA_CPP=~/llama.cpp tests/peers/tokenizer.sh FILE.gguf...
#
# Each program reads a long text of Tiny World and a short one, in turns; what the long one takes more of the processor's
# time is the reading, without opening the file and printing ids of the short one.  The middle one of ROUNDS is told.
set -e
. "$(dirname "$0")/tools.sh"
: "${LLAMA_CPP:?LLAMA_CPP=DIR: where llama-tokenize is}"
llama=$(find_tool llama-tokenize)
[ "$llama" ] || { echo "no llama-tokenize in $LLAMA_CPP" >&2; exit 1; }
cd "$(dirname "$0")/../.."
strata=${STRATA:-build/bin/strata} work=build/peers rounds=${ROUNDS:-3}
mkdir -p $work
$strata world --documents 15000 >$work/long.txt
head -c 4000 $work/long.txt >$work/short.txt

ours() { $strata tokenize -m "$1" --all --as-llama <"$2"; }
theirs() { "$llama" -m "$1" -f "$2" --ids --no-bos --no-escape --no-parse-special --log-disable 2>/dev/null; }
numbers() { tr -cs '0-9' '\n' | grep .; }

# seconds PROGRAM FILE TEXT: of the processor
seconds() {
    ("$1" "$2" "$3" >/dev/null && times) | awk 'NR == 2 { gsub(/[ms]/, " "); print $1 * 60 + $2 + $3 * 60 + $4 }'
}

printf '%-32s %10s %10s  %s\n' file strata llama.cpp tokens
for file; do
    for program in ours theirs; do : >$work/$program; done
    for _ in $(seq "$rounds"); do
        for program in ours theirs; do
            echo "$(seconds $program "$file" $work/long.txt) $(seconds $program "$file" $work/short.txt)" >>$work/$program
        done
    done
    for program in ours theirs; do
        awk '{ print $1 - $2 }' $work/$program | sort -n | awk -v bytes="$(wc -c <$work/long.txt)" \
            '{ x[NR] = $0 } END { printf "%.1f MB/s\n", bytes / 1e6 / x[int((NR + 1) / 2)] }' >$work/$program.speed
    done
    ours "$file" $work/long.txt | numbers | cksum >$work/ours.sum
    theirs "$file" $work/long.txt | numbers | cksum >$work/theirs.sum
    same=equal
    cmp -s $work/ours.sum $work/theirs.sum || same=differ
    printf '%-32s %10s %10s  %s\n' "$(basename "$file")" "$(cat $work/ours.speed)" "$(cat $work/theirs.speed)" $same
done
