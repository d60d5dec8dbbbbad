#!/bin/sh
# Pictures in a prompt: files of three kinds, what reads them for a model, and what is refused.
. "$(dirname "$0")/program.sh"
cd "$work" || exit 1

made() { "$BUILD/tests/families" "$@" || not "a random model $*" "it was not written"; }
made llama "" llama.gguf
made clip "" eye.gguf
made clip old old.gguf
made clip width:40 narrow.gguf
made gemma3n "" gemma3n.gguf
made t5 "" t5.gguf

. "$here/pictures.sh"

# ids PROMPT OPTION...: the tokens of a prompt and of what follows
ids() { prompt=$1; shift; [ "$own" ] || set -- --chain greedy "$@"; "$strata" generate -m llama.gguf --mmproj eye.gguf -p "$prompt" -n 8 --ids "$@" 2>&1; }
own=
six=$(ids "what is it" --image six.ppm --quiet)
expect "a picture is read" 0 "\[1 image, 16 tokens each" "$strata" generate -m llama.gguf --mmproj eye.gguf --image six.ppm -p hi -n 2
same "its rows stand before a text without a mark" "$(echo "$six" | cut -d' ' -f1-17)" "258 259 260 261 262 263 264 265 266 267 268 269 270 271 272 273 119"
same "... or where the mark is" "$(ids "is <image>" --image six.ppm --quiet | cut -d' ' -f1-5)" "105 115 32 258 259"
same "several have a mark each" "$(ids "<image>a<image>" --image six.ppm --image grey.ppm --quiet | cut -d' ' -f16-19)" "273 97 274 275"
if [ "$six" != "$(ids "what is it" --image grey.ppm --quiet)" ]; then ok "another picture, another text"; else not "another picture, another text" "$six"; fi
same "threads change nothing" "$(ids "what is it" --image six.ppm --quiet -t 3)" "$(ids "what is it" --image six.ppm --quiet -t 1)"
same "the same from standard input" "$("$strata" generate -m llama.gguf --mmproj eye.gguf --image - -p "what is it" -n 8 --chain greedy --ids --quiet <six.ppm)" "$six"
own=yes
same "samplers look past it" "$(ids "what is it" --image six.ppm --quiet --chain penalties:rep=1.3,dry:1,no_repeat:2,greedy | wc -w | tr -d ' ')" 34
same "beams read it, too" "$(ids "what is it" --image six.ppm --quiet --beams 1)" "$six"
own=
expect "... and samples" 0 "1 image" "$strata" generate -m llama.gguf --mmproj eye.gguf --image six.ppm -p hi -n 3 --best-of 2
expect "an eye is no model" 1 "with --mmproj" "$strata" generate -m eye.gguf -p hi
expect "the middle of a wide one" 0 "1 image" "$strata" generate -m llama.gguf --mmproj eye.gguf --image wide.ppm --crop -p hi -n 1
expect "a message with a picture" 0 "1 image" "$strata" generate -m llama.gguf --mmproj eye.gguf --image six.ppm --chat -p "what is it" -n 2
expect "an old file reads" 0 "1 image" "$strata" generate -m llama.gguf --mmproj old.gguf --image six.ppm -p hi -n 1
expect "... as llama.cpp does" 0 "1 image" "$strata" generate -m llama.gguf --mmproj old.gguf --class-last --image six.ppm -p hi -n 1
expect "inspect says what it is" 0 "becomes 16 rows of 64 numbers" "$strata" inspect old.gguf

# kind FILE TWIN: what another library reads is the same picture
kind() {
    said=$(ids hi --image "$1" --quiet)
    case $said in
    *"without lib"* | *"not installed"*) ok "$1 is not tried: $(echo "$said" | sed 's/.*\(lib[a-z]*\).*/\1/') is not here" ;;
    *)
        same "$1 is $2" "$said" "$(ids hi --image "$2" --quiet)"
        head -c 60 "$1" >cut && expect "$1 cut short" 1 "cut: lib" "$strata" generate -m llama.gguf --mmproj eye.gguf --image cut -p hi
        ;;
    esac
}
kind six.png six.ppm
kind grey.jpg grey.ppm

# Files that every reader opens, though they are not quite in order: nothing is wrong with their pixels.
{ head -c 33 six.png && printf '\0\0\0\002tEXtab\0\0\0\0' && tail -c +34 six.png; } >remark.png
head -c 11 grey.jpg >future.jpg && printf '\003' >>future.jpg && tail -c +13 grey.jpg >>future.jpg
size=$(wc -c <grey.jpg)
head -c $((size - 2)) grey.jpg >no_end.jpg
{ cat no_end.jpg && printf '\0\0\0\377\331'; } >strange.jpg
for file in remark.png future.jpg no_end.jpg strange.jpg; do
    case $file in *.png) twin=six.png ;; *) twin=grey.jpg ;; esac
    same "$file is $twin" "$(ids hi --image $file --quiet | sed "s/$file/it/")" "$(ids hi --image $twin --quiet | sed "s/$twin/it/")"
done

refuse() { name=$1 says=$2; shift 2; expect "$name" 1 "$says" "$strata" generate -m llama.gguf "$@"; }
printf 'GIF89a' >x.gif
head -c 20 six.ppm >cut.ppm
printf 'P6 9000 9000 255 ' >long.ppm
printf '\377\330\377\300\0\024\010\0\001\0\001\004\001\021\0\002\021\0\003\021\0\004\021\0\377\332\0\016\004\001\0\002\0\003\0\004\0\0\077\0' >print.jpg
expect "no name of a picture" 2 "--image: empty file name" "$strata" generate -m llama.gguf --mmproj eye.gguf --image ""
refuse "no file" "none.ppm cannot be opened\|none.ppm: " --mmproj eye.gguf --image none.ppm
refuse "a picture of another kind" "x.gif: a GIF file: wanted a picture in PNG" --mmproj eye.gguf --image x.gif
refuse "no picture at all" "llama.gguf: a GGUF file" --mmproj eye.gguf --image llama.gguf
refuse "a picture that is cut short" "cut.ppm: a pixmap of 3 by 2" --mmproj eye.gguf --image cut.ppm
refuse "a model for an eye" "a llama model reads texts" --mmproj llama.gguf --image six.ppm
refuse "an eye of another model" "rows of 40 numbers, and the model reads rows of 64" --mmproj narrow.gguf --image six.ppm
refuse "print" "the four colours of print\|without libjpeg\|not installed" --mmproj eye.gguf --image print.jpg
refuse "a picture too large" "long.ppm: a picture of 9000 by 9000 pixels: wanted 1" --mmproj eye.gguf --image long.ppm
refuse "too few pictures" "2 marks <image> for 1 image:" --mmproj eye.gguf --image six.ppm -p "<image><image>"
expect "an eye does not write" 1 "give that one with -m, and this one with --mmproj" "$strata" generate -m old.gguf -p hi
expect "layers that look tokens up" 1 "a gemma3n model reads no pictures" "$strata" generate -m gemma3n.gguf --mmproj eye.gguf --image six.ppm -p hi
expect "an encoder's source" 1 "a t5 model reads no pictures" "$strata" generate -m t5.gguf --mmproj eye.gguf --image six.ppm -p hi
expect "a picture needs an eye" 2 "image needs --mmproj" "$strata" generate -m llama.gguf --image six.ppm
expect "an eye needs a picture" 2 "mmproj needs --image" "$strata" generate -m llama.gguf --mmproj eye.gguf
expect "a draft model sees nothing" 2 "image does not go with --lookup" "$strata" generate -m llama.gguf --mmproj eye.gguf --image six.ppm --lookup

# talk LINES OPTION...: what strata chat answers to them
talk() { lines=$1; shift; printf "$lines" | "$strata" chat -m llama.gguf --mmproj eye.gguf --form vicuna --chain greedy -n 6 --quiet "$@" 2>&1; }
hm=$(talk 'hm\n' --image six.ppm)
same "chat: a picture in the first message" "$(talk '/image six.ppm\nhm\n')" "[image of 16 tokens, sent with the next message]
$hm"
if [ "$hm" != "$(talk 'hm\n' --image grey.ppm)" ]; then ok "chat: another picture, another answer"; else not "chat: another picture, another answer" "$hm"; fi
same "chat: it may stand in the text" "$(talk 'a <image> b\n/tokens\n' --image six.ppm | grep -c '97\[a\]32\[ \]258\[\].*273\[\]32\[ \]98\[b\]')" 1
same "chat: and comes before it without a mark" "$(talk 'b\n/tokens\n' --image six.ppm | grep -c '258\[\].*273\[\]10\[$')" 1
same "chat: the next message has none of it" "$(talk 'a\n/tokens\n/undo\nb\n/tokens\n' --image six.ppm | grep -c '258\[\]')" 1
same "chat: the same answer once more" "$(talk 'hm\n/edit hm\n' --image six.ppm)" "$hm
$hm"
same "chat: a typed <image> without a picture is text" "$(talk '<image>\n/tokens\n' | grep -c '60\[<\]105\[i\]')" 1
pixel() { printf 'P6 1 1 255 %b%b%b' "\\0$1" "\\0$2" '\0001' >"p$1$2.ppm"; }
for i in 0 1 2 3 4 5 6 7; do for k in 0 1 2 3 4 5 6 7; do pixel "3$i" "2$k" && echo "/image p3${i}2$k.ppm"; done; done >many
{ printf '/image grey.ppm\nhm\n/undo\n' && cat many && printf '/reset\n/image p3727.ppm\nhm\n'; } >lines
same "chat: a picture that got another one's number is itself" "$("$strata" chat -m llama.gguf --mmproj eye.gguf --form vicuna --chain greedy -n 6 --quiet <lines 2>/dev/null | tail -n 1)" "$(talk 'hm\n' --image p3727.ppm | sed '/^\[the answer was cut/d' | tail -n 1)"
same "chat: /help shows how" "$(talk '/help\n' | grep -c '/image FILE')" 1
expect "chat: pictures are not saved" 1 "turn 1 shows a picture" sh -c "printf 'hm\n/save x.json\n' | '$strata' chat -m llama.gguf --mmproj eye.gguf --form vicuna --image six.ppm -n 2"
expect "chat: no file" 1 "none.ppm cannot be opened\|none.ppm: " sh -c "echo /image none.ppm | '$strata' chat -m llama.gguf --mmproj eye.gguf --form vicuna"
expect "chat: no eye" 1 "begin with --mmproj FILE" sh -c "echo /image six.ppm | '$strata' chat -m llama.gguf --form vicuna"
expect "chat: a picture needs an eye" 2 "image needs --mmproj" "$strata" chat -m llama.gguf --image six.ppm
