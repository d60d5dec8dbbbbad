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

# Other encoders: how many rows a picture becomes, and what stands around them.
made llama around around.gguf
made gemma3 around gemma3.gguf
made clip "gemma3 merge:2" gemma3_eye.gguf
made clip idefics3 idefics3_eye.gguf
made clip "internvl merge:4" internvl_eye.gguf
made clip "qwen2.5vl patch:14" qwen_eye.gguf
made clip "pixtral break patch:14 image:70" pixtral_eye.gguf
made qwen2vl around qwen2vl.gguf
made clip "qwen3vl deep:2 patch:14 vision.image_min_pixels=1" deep_eye.gguf
made qwen3vl "around n_deepstack_layers=2" qwen3vl.gguf
# around MODEL EYE PROMPT: the first tokens of a prompt with one picture
around() { "$strata" generate -m "$1.gguf" --mmproj "$2_eye.gguf" --image six.ppm -p "$3" -n 8 --chain greedy --ids --quiet 2>&1 | cut -d' ' -f1-13; }
gemma="97 10 10 245 258 259 260 261 246 10 10 98"
same "Gemma 3: two lines and two tokens around four rows" "$(around around gemma3 'a<image>b' | cut -d' ' -f1-12)" "$gemma"
same "... in its own model" "$(around gemma3 gemma3 'a<image>b' | cut -d' ' -f1-12)" "$gemma"
same "Idefics 3: three tokens" "$(around around idefics3 'a<image>b' | cut -d' ' -f1-9)" "97 247 248 258 259 260 261 247 98"
same "InternVL: two, around one row of each of six tiles and of all of them" "$(around around internvl 'a<image>b' | cut -d' ' -f1-11)" "97 249 258 259 260 261 262 263 264 250 98"
same "... or around one row" "$("$strata" generate -m around.gguf --mmproj internvl_eye.gguf --whole --image six.ppm -p 'a<image>b' -n 1 --ids --quiet | cut -d' ' -f1-5)" "97 249 258 250 98"
same "Qwen 2.5 VL: 3 by 2 pixels as 84 by 56, 3 by 2 squares" "$(around around qwen 'a<image>b' | cut -d' ' -f1-10)" "97 251 258 259 260 261 262 263 252 98"
same "... in its own model" "$(around qwen2vl qwen 'a<image>b' | cut -d' ' -f1-10)" "97 251 258 259 260 261 262 263 252 98"
same "Qwen 3 VL: 3 by 2 pixels as one square" "$(around qwen3vl deep 'a<image>b' | cut -d' ' -f1-5)" "97 251 258 252 98"
expect "rows for two layers more, and a model that has none" 1 "deep_eye.gguf makes rows of 192 numbers, and the model reads rows of 64" "$strata" generate -m qwen2vl.gguf --mmproj deep_eye.gguf --image six.ppm -p hi
expect "... and the other way round" 1 "qwen_eye.gguf makes rows of 64 numbers, and the model reads rows of 192" "$strata" generate -m qwen3vl.gguf --mmproj qwen_eye.gguf --image six.ppm -p hi
expect "inspect knows it" 0 "eye: qwen3vl_merger (of Qwen 3 VL, Qwen 3.5)" "$strata" inspect deep_eye.gguf
same "Pixtral: lines of patches, and a row behind each but the last" "$(around around pixtral 'a<image>b' | cut -d' ' -f1-4)" "97 258 253 98"
# any MODEL EYE IMAGE: how many tokens it becomes
any() { "$strata" generate -m "$1.gguf" --mmproj "$2_eye.gguf" --image "$3" -p hi -n 1 2>&1 | sed -n 's/.*image, \([0-9]* tokens each\).*/\1/p'; }
{ printf 'P6 300 150 255 ' && head -c 135000 /dev/zero | tr '\000' '\144'; } >large.ppm
same "... of 300 by 150 pixels, 11 by 5 squares" "$(any qwen2vl qwen large.ppm)" "55 tokens each"
same "... at most 70 pixels long: 5 by 3 patches, and two row ends" "$(any around pixtral large.ppm)" "17 tokens each"
expect "pictures of several sizes" 0 "2 images, 61 tokens in all" "$strata" generate -m qwen2vl.gguf --mmproj qwen_eye.gguf --image large.ppm --image six.ppm -p hi -n 2
deep() { "$strata" generate -m qwen3vl.gguf --mmproj deep_eye.gguf --image large.ppm -p 'is <image>?' -n 8 --chain greedy --ids --quiet "$@" 2>&1; }
same "threads change nothing in Qwen 3 VL" "$(deep -t 3)" "$(deep -t 1)"
same "threads change nothing in it" "$(around qwen2vl qwen 'is <image>?')" "$("$strata" generate -m qwen2vl.gguf --mmproj qwen_eye.gguf --image six.ppm -p 'is <image>?' -n 8 --chain greedy --ids --quiet -t 3 2>&1 | cut -d' ' -f1-13)"
same "chat: a picture of 55 tokens" "$(printf '/image large.ppm\nhm\n' | "$strata" chat -m qwen2vl.gguf --mmproj qwen_eye.gguf --form chatml --chain greedy -n 6 --quiet 2>&1 | head -n 1)" "[image of 55 tokens, sent with the next message]"
expect "no tiles to leave out" 1 "eye.gguf reads pictures without tiles: leave out --whole" "$strata" generate -m llama.gguf --mmproj eye.gguf --whole --image six.ppm -p hi
expect "the middle of a picture of any shape" 1 "reads pictures of any shape: leave out --crop" "$strata" generate -m qwen2vl.gguf --mmproj qwen_eye.gguf --crop --image six.ppm -p hi
expect "a picture longer than the context" 1 "becomes 55 tokens, and the context has 50" "$strata" generate -m qwen2vl.gguf --mmproj qwen_eye.gguf --ctx 50 --image large.ppm -p hi
{ printf 'P6 201 1 255 ' && head -c 603 /dev/zero; } >line.ppm
expect "a picture that is too narrow" 1 "more than 200 times the other" "$strata" generate -m qwen2vl.gguf --mmproj qwen_eye.gguf --image line.ppm -p hi
made clip "qwen2.5vl patch:14 vision.image_min_pixels=10000 vision.image_max_pixels=10000" one_eye.gguf
same "one that grows is rounded up: 5 by 3 squares, more than max_pixels" "$(any qwen2vl one six.ppm)" "15 tokens each"
made clip "qwen2.5vl patch:14 vision.image_min_pixels=1 vision.image_max_pixels=784" least_eye.gguf
{ printf 'P6 4000 20 255 ' && head -c 240000 /dev/zero; } >ribbon.ppm
same "one that shrinks keeps a square across: 14 by 1" "$(any qwen2vl least ribbon.ppm)" "14 tokens each"
expect "inspect says that it takes any size" 0 "a picture of any size, in patches of 14 by 14, becomes up to 16384 rows" "$strata" inspect qwen_eye.gguf
same "a typed token stays a text" "$("$strata" generate -m around.gguf --mmproj internvl_eye.gguf --whole --image six.ppm -p '<img>' -n 1 --chain greedy --ids --quiet | cut -d' ' -f1-8)" "249 258 250 60 105 109 103 62"
same "chat: Gemma 3 has nothing behind a picture" "$(printf 'b\n/tokens\n' | "$strata" chat -m around.gguf --mmproj gemma3_eye.gguf --image six.ppm --form vicuna --chain greedy -n 6 --quiet 2>&1 | grep -c '261\[\]246\[<end_of_image>\]10\[$')" 1
expect "a model without these tokens" 1 "<start_of_image>, and the model has none of that name" "$strata" generate -m llama.gguf --mmproj gemma3_eye.gguf --image six.ppm -p hi
expect "inspect says which encoder it is" 0 "eye: internvl (of InternVL" "$strata" inspect internvl_eye.gguf

# Tiles with text between them: six.ppm as 56 by 38 pixels, then as 2 by 2 squares of 28; two more tokens are bytes 1 ...
made clip "idefics3 vision.preproc_image_size=56" tiled_eye.gguf
row() { printf '%s' "$1" | od -An -tu1 -v | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }
tiles() { "$strata" generate -m around.gguf --mmproj tiled_eye.gguf --image six.ppm -p 'a<image>b' -n ${n:-1} --chain greedy --ids --quiet "$@" 2>&1; }
same "Idefics 3: tiles with their line and column before them, lines end, and all of it last" "$(tiles | cut -d' ' -f1-72)" \
    "97 247 1 258 259 260 261 247 $(row '<row_1_col_2>') 262 263 264 265 10 247 $(row '<row_2_col_1>') 266 267 268 269 247 $(row '<row_2_col_2>') 270 271 272 273 10 10 247 248 274 275 276 277 247 98"
same "... or all of it alone" "$(tiles --whole | cut -d' ' -f1-9)" "97 247 248 258 259 260 261 247 98"
same "... or its middle alone" "$(tiles --crop | cut -d' ' -f1-9)" "97 247 248 258 259 260 261 247 98"
same "threads change nothing in tiles" "$(n=8 && tiles -t 3)" "$(n=8 && tiles -t 1)"
same "chat: tiles are one image of 20 tokens" "$(printf '/image six.ppm\nhm\n' | "$strata" chat -m around.gguf --mmproj tiled_eye.gguf --form vicuna --chain greedy -n 6 --quiet 2>&1 | head -n 1)" "[image of 20 tokens, sent with the next message]"
same "chat: ... with text between them" "$(printf 'b\n/tokens\n' | "$strata" chat -m around.gguf --mmproj tiled_eye.gguf --image six.ppm --form vicuna --chain greedy -n 6 --quiet 2>&1 | grep -c '247\[.*\]1\[<row_1_col_1>\]258\[\].*261\[\]247\[')" 1
expect "inspect says how many tiles" 0 "as up to 4 tiles and one of 28 by 28 pixels" "$strata" inspect tiled_eye.gguf
expect "tiles longer than the context" 1 "becomes 20 tokens, and the context has 16" "$strata" generate -m around.gguf --mmproj tiled_eye.gguf --ctx 16 --image six.ppm -p hi
made clip "idefics3 vision.preproc_image_size=84" six_eye.gguf
for side in "28 42" "42 28"; do { printf "P6 $side 255 " && head -c 3528 /dev/zero; } >"$(echo "$side" | tr ' ' x).ppm"; done
same "the same squares in other lines are another picture" "$("$strata" generate -m around.gguf --mmproj six_eye.gguf --image 28x42.ppm --image 42x28.ppm -p hi -n 1 --ids --quiet 2>&1 | tr ' ' '\n' | awk '$1 > 257' | sort -u | wc -l | tr -d ' ')" 56

# Llama 4: wide.ppm, 40 by 20, on two squares of 28 by 28.
made llama4 around llama4.gguf
made clip llama4 llama4_eye.gguf
four() { "$strata" generate -m llama4.gguf --mmproj llama4_eye.gguf --image wide.ppm -p 'a<image>b' -n ${n:-1} --chain greedy --ids --quiet "$@" 2>&1; }
same "Llama 4: two tiles, a token between them, one behind their line, and all of it" "$(four | cut -d' ' -f1-19)" "97 2 258 259 260 261 5 262 263 264 265 6 3 266 267 268 269 4 98"
same "... or one square" "$(four --whole | cut -d' ' -f1-9)" "97 2 3 258 259 260 261 4 98"
same "... of a small picture" "$(around llama4 llama4 'a<image>b' | cut -d' ' -f1-9)" "97 2 3 258 259 260 261 4 98"
same "threads change nothing in it" "$(n=8 && four -t 3)" "$(n=8 && four -t 1)"
expect "chat: Llama 4 says what it sees" 0 "image of 12 tokens" sh -c "printf '/image wide.ppm\nhm\n' | '$strata' chat -m llama4.gguf --mmproj llama4_eye.gguf --form vicuna -n 2"
expect "a picture of 15 tiles" 1 "becomes 64 tokens, and the context has 60" "$strata" generate -m llama4.gguf --mmproj llama4_eye.gguf --ctx 60 --image large.ppm -p hi
expect "inspect knows it" 0 "eye: llama4 (of Llama 4)" "$strata" inspect llama4_eye.gguf

# Gemma 4: the largest rectangle of 280 squares at most; grey.ppm becomes 16 by 16, wide.ppm 23 by 11.
without="=tied post_norms small_gains window:300 windows_listed window_heads keys_as_values rope_freqs layers:4 end_scale around ctx:900"
made gemma4 "$without embedding_length_per_layer_input=0 attention.shared_kv_layers=0" gemma4.gguf
made clip gemma4v gemma4_eye.gguf
grey() { "$strata" generate -m gemma4.gguf --mmproj gemma4_eye.gguf --image grey.ppm -p 'a<image>b' -n ${n:-1} --chain greedy --ids --quiet "$@" 2>&1; }
same "Gemma 4: a token before 256 rows and one behind" "$(grey | cut -d' ' -f1-3,257-261)" "97 7 258 512 513 8 98 $(grey | cut -d' ' -f261)"
same "... 23 by 11 squares" "$("$strata" generate -m gemma4.gguf --mmproj gemma4_eye.gguf --image wide.ppm -p hi -n 1 2>&1 | sed -n "s/.*image, \([0-9]* tokens each\).*/\1/p")" "253 tokens each"
same "threads change nothing in it" "$(n=8 && grey -t 3)" "$(n=8 && grey -t 1)"
expect "two pictures of other sizes" 0 "2 images, 509 tokens in all" "$strata" generate -m gemma4.gguf --mmproj gemma4_eye.gguf --image grey.ppm --image wide.ppm -p hi -n 2
same "chat: Gemma 4 looks at an image of 253 tokens" "$(printf '/image wide.ppm\nhm\n' | "$strata" chat -m gemma4.gguf --mmproj gemma4_eye.gguf --form vicuna --chain greedy -n 2 --quiet 2>&1 | head -n 1)" "[image of 253 tokens, sent with the next message]"
expect "its middle" 1 "reads pictures of any shape: leave out --crop" "$strata" generate -m gemma4.gguf --mmproj gemma4_eye.gguf --crop --image grey.ppm -p hi
# Its small models: layers with inputs of their own, maps with bounds, and an encoder of sound in the file.
made gemma4 "around ctx:900" small4.gguf
made clip "gemma4v bounded sound plain" small4_eye.gguf
small() { "$strata" generate -m small4.gguf --mmproj small4_eye.gguf --image grey.ppm -p 'a<image>b' -n ${n:-1} --chain greedy --ids --quiet "$@" 2>&1; }
same "Gemma 4's small models" "$(small | cut -d' ' -f1-3,257-261)" "97 7 258 512 513 8 98 $(small | cut -d' ' -f261)"
expect "a batch may end within their pictures" 0 "2 images, 256 tokens each" "$strata" generate -m small4.gguf --mmproj small4_eye.gguf --image grey.ppm --image grey.ppm -p hi -n 2
expect "inspect says what it leaves out" 0 "its encoder of sound is left out" "$strata" inspect small4_eye.gguf

# strata look: what a token's attention has on the image and on the text is all of it.
# parts MODEL EYE IMAGE: rows of attention that are looked at, and those whose parts do not add up to one
parts() {
    for what in picture attention; do "$strata" look $what -m "$1.gguf" --mmproj "$2.gguf" --image "$3" -p 'a<image>bc' --csv 2>&1 | sed "s/^/$what,/"; done | awk -F, '
        $2 == "layer" { next }
        NF < 8 { print }
        $1 == "picture" { sum[$2 "," $3 "," $4] += $11; of[$2 "," $3 "," $4] }
        $1 == "attention" && $8 != "\"<image>\"" { sum[$2 "," $3 "," $4] += $6 }
        END { for (k in of) { n++; if (sum[k] < 0.9999 || sum[k] > 1.0001) bad++ }; print n + 0, bad + 0 }'
}
same "look: LLaVA's squares and the text are all" "$(parts llama eye six.ppm)" "16 0"
same "... Gemma 3's" "$(parts around gemma3_eye six.ppm)" "40 0"
same "... Idefics 3's tiles" "$(parts around tiled_eye six.ppm)" "24 0"
same "... InternVL's tiles" "$(parts around internvl_eye six.ppm)" "24 0"
same "... Qwen 2.5 VL's" "$(parts qwen2vl qwen_eye wide.ppm)" "24 0"
same "... Qwen 3 VL's" "$(parts qwen3vl deep_eye wide.ppm)" "24 0"
same "... Pixtral's, and the rows that end lines" "$(parts around pixtral_eye wide.ppm)" "24 0"
same "... Llama 4's tiles" "$(parts llama4 llama4_eye wide.ppm)" "48 0"
same "... Gemma 4's" "$(parts gemma4 gemma4_eye wide.ppm)" "48 0"
same "... its small models'" "$(parts small4 small4_eye wide.ppm)" "84 0"
look() { "$strata" look "$@" --mmproj eye.gguf --image six.ppm -p "is <image> it" -m llama.gguf 2>&1; }
same "a grid of 4 by 4 squares" "$(look picture | grep -c '^|........|$')" 4
same "... the darkest is the one that is listed" "$(look picture --head 1.1 | sed -n 's/.*"t" .* \(0\.[0-9]*\) at .*/\1/p; s/.*@ is //p' | sort | uniq -c | sed 's/ 0.*//' | tr -d ' ')" 2
look picture --out lit.ppm >/dev/null
same "a picture of what the encoder sees" "$(head -n 3 lit.ppm | tr '\n' ' ')$(wc -c <lit.ppm | tr -d ' ')" "P6 28 28 255 2365"
"$strata" look picture -m around.gguf --mmproj tiled_eye.gguf --image six.ppm -p hi --out lit.ppm >seen
same "... tiles side by side, and all of it below" "$(head -n 3 lit.ppm | tr '\n' ' ')$(grep -c '^|........|$' seen)" "P6 56 84 255 6"
same "the next token of a text with an image" "$(look lens --csv --top 1 | tail -n 1 | cut -d, -f5)" "$("$strata" generate -m llama.gguf --mmproj eye.gguf --image six.ppm -p "is <image> it" -n 1 --chain greedy --ids --no-prompt --quiet)"
expect "an image needs an encoder to be looked at" 2 "image needs --mmproj" "$strata" look picture -m llama.gguf --image six.ppm
expect "squares need an image" 2 "picture needs --image" "$strata" look picture -m llama.gguf -p hi
expect "a head beyond the last layer" 1 "head 9.1: the model has 2 layers" "$strata" look picture -m llama.gguf --mmproj eye.gguf --image six.ppm --head 9.1
expect "a position behind the text" 1 "position 99: the text has" "$strata" look picture -m llama.gguf --mmproj eye.gguf --image six.ppm -p hi --position 99
expect "two images in one file" 1 "out draws one image, and there are 2" "$strata" look picture -m llama.gguf --mmproj eye.gguf --image six.ppm --image grey.ppm -p hi --out lit.ppm
expect "a context beyond the model's" 1 "ctx is 9999: wanted at most" "$strata" look picture -m llama.gguf --mmproj eye.gguf --image six.ppm -p hi --ctx 9999
expect "a text beyond the context" 1 "the context has 1 to 17: make it longer" "$strata" look picture -m llama.gguf --mmproj eye.gguf --image six.ppm -p hello --ctx 17
expect "a file that is only drawn" 2 "out needs picture" "$strata" look lens -m llama.gguf -p hi --out lit.ppm

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
expect "layers that look tokens up" 0 "1 image" "$strata" generate -m gemma3n.gguf --mmproj eye.gguf --image six.ppm -p hi -n 1
expect "an encoder's source" 1 "a t5 model reads no pictures" "$strata" generate -m t5.gguf --mmproj eye.gguf --image six.ppm -p hi
expect "a picture needs an eye" 2 "image needs --mmproj" "$strata" generate -m llama.gguf --image six.ppm
expect "whole pictures need an eye" 2 "whole needs --mmproj" "$strata" generate -m llama.gguf --whole -p hi
expect "a cropped image is one piece" 2 "whole does not go with --crop" "$strata" generate -m llama.gguf --mmproj eye.gguf --whole --crop --image six.ppm -p hi
expect "an eye needs a picture" 2 "mmproj needs --image" "$strata" generate -m llama.gguf --mmproj eye.gguf
expect "a draft model sees nothing" 2 "image does not go with --draft" "$strata" generate -m llama.gguf --mmproj eye.gguf --image six.ppm --draft lookup

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
