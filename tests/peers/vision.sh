#!/bin/sh
# What encoders of pictures make of them, beside llama.cpp's mtmd: a file of random weights of each kind, pictures of noise.
#
#   LLAMA_CPP=~/llama.cpp tests/peers/vision.sh
#
# LLAMA_CPP is its source, built with shared libraries (or a folder that has include and lib); RUN is what its programs are started
# with, if they need a loader of their own.  The pictures have sizes that neither side changes, because mtmd chooses others than the
# published processors: how many tiles a picture becomes, and when it is made larger.  A class row stands where mtmd has it.
set -e
cd "$(dirname "$0")/../.."
: "${LLAMA_CPP:?LLAMA_CPP=DIR: the source of llama.cpp, built}"
out=build/peers/vision made=build/tests/families
make -s
make -s -C tests models
mkdir -p $out
. library/parts.sh
# shellcheck disable=SC2086
cc -std=c11 -D_GNU_SOURCE -O2 $includes tests/peers/vision_ours.c $tables $archives -lm -lpthread -o $out/ours
folder=$(find "$LLAMA_CPP/build/bin" "$LLAMA_CPP/bin" "$LLAMA_CPP/lib" -name 'libmtmd.so*' 2>/dev/null | head -1 | xargs -r dirname)
[ "$folder" ] || { echo "vision: no libmtmd.so in $LLAMA_CPP: build/bin, bin or lib" >&2; exit 1; }
libraries=$(find "$folder" -name 'lib*.so*' | grep -E '/lib(mtmd|llama|ggml|ggml-base)\.so(\.0)?$')
# shellcheck disable=SC2086
c++ -std=c++17 -O1 -I"$LLAMA_CPP/include" -I"$LLAMA_CPP/ggml/include" -I"$LLAMA_CPP/tools/mtmd" tests/peers/vision_theirs.cpp $libraries \
    -Wl,--allow-shlib-undefined,-rpath,"$folder" -o $out/theirs
$made llama around $out/text.gguf
$made qwen3vl "around n_deepstack_layers=2" $out/deep.gguf

# eye KIND WIDTHxHEIGHT [class-last]: for the model `text`
worse=0 text=text
eye() {
    kind=$1 size=$2 place=$3
    $made clip "$kind" $out/eye.gguf
    $out/ours draw "${size%x*}" "${size#*x}" $out/noise.ppm
    printf '%-52s %8s  ' "${kind:-LLaVA 1.5}" "$size"
    # shellcheck disable=SC2086
    if ! $RUN $out/theirs $out/$text.gguf $out/eye.gguf $out/noise.ppm $out/rows 2>$out/log; then echo "   -  mtmd fails: $(tail -1 $out/log)"; worse=1; return; fi
    # shellcheck disable=SC2086
    $out/ours rows $out/eye.gguf $out/noise.ppm $out/rows $place || worse=1
}
printf '%-52s %8s  %4s  %s\n' kind picture rows "difference, of their size"
eye "" 28x28 class-last
eye "gemma3 merge:2" 28x28
eye "gemma4v merge:3" 336x336
eye "gemma4v plain" 336x336
eye "gemma4v bounded plain" 336x336
for size in 56x28 28x84 112x84; do
    long=${size%x*}
    [ "$size" != 28x84 ] || long=84
    eye "idefics3 merge:2 vision.preproc_image_size=$long" $size
    eye "internvl merge:2" $size class-last
done
eye "internvl merge:4" 28x28 class-last
eye "llama4 merge:2" 28x28 class-last
eye "pixtral break patch:14 image:140" 112x84
for size in 112x84 140x168; do
    eye "qwen2vl patch:14" $size
    eye "qwen2.5vl patch:14" $size
    eye "qwen3vl patch:14 image:140 vision.image_min_pixels=1" $size
done
text=deep
eye "qwen3vl deep:2 patch:14 image:140 vision.image_min_pixels=1" 140x140
exit $worse
