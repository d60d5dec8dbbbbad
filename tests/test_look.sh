#!/bin/sh
# strata look, and the options that change a model while it runs.
. "$(dirname "$0")/program.sh"
p="Once upon a time there was a"

expect "where the heads look" 0 '0\.7  *7 " a"  *0\.[0-9]* "' "$strata" look attention -p "$p" --isa scalar
same "one head, one token" "$("$strata" look attention -p "$p" --head 0.7 --position 3 --isa scalar | grep -c '^ *0\.7 ')" 1
same "one token as CSV" "$("$strata" look attention -p "$p" --position 3 --csv | cut -d, -f3 | sort -u | tr '\n' ' ')" "3 query "
expect "the lens ends with the model's word" 0 'layer 2 feed-forward  *0\.[0-9]* " [a-z]*"' "$strata" look lens -p "$p" --isa scalar
expect "the stream grows" 0 'root mean square' "$strata" look stream -p "$p"
expect "every head silenced" 0 '2\.7' "$strata" look heads -p "$p"
expect "whose hat" 0 'none,none,2,' "$strata" look owner --documents 2 --csv
hat=$(printf '%b' "$(sed -n 's/.*const HAT = "\(.*\)";$/\1/p' "$here/../docs/playground/explorer.js" | sed 's/\\"/"/g')")
expect "and whose in the explorer: layer 2 brings the name" 0 'layer 2 attention  *0\.[0-9]* " Daisy"' "$strata" look lens -p "$hat" --isa scalar
same "layer 1 does not know it" "$(grep -c 'layer 1 .*Daisy' "$work/out")" 0

# A row of attention adds up to one, and the lens at the end is what generate sees.
sums=$("$strata" look attention -p "$p" --csv | awk -F, 'NR > 1 { s[$1 "." $2 "," $3] += $5 } END { for (k in s) { n++; if (s[k] < 0.9999 || s[k] > 1.0001) bad++ }; print n, bad + 0 }')
if [ "$sums" = "192 0" ]; then ok "rows add up to one"; else not "rows add up to one" "$sums"; fi
lens=$("$strata" look lens -p "$p" --csv --top 1 | tail -n 1 | cut -d, -f5)
next=$("$strata" generate -p "$p" --ids --no-prompt -n 1 --chain greedy --quiet)
if [ "$lens" = "$next" ]; then ok "the lens and generate agree"; else not "the lens and generate agree" "$lens and $next"; fi

# Scales of one are nothing; silence is not; threads do not matter.
plain=$("$strata" generate --quiet -n 30)
same=$("$strata" generate --quiet -n 30 --scale-head 1.3=1 --scale-layer 2=1 --scale-neuron 0.17=1 --attention-temp 1)
if [ "$plain" = "$same" ]; then ok "scales of one"; else not "scales of one" "$same"; fi
for act in "--scale-head 0.6=0" "--scale-layer 1=0" "--scale-neuron 2.5=-80" "--attention-temp 0=5"; do
    one=$("$strata" generate --quiet -n 30 -t 1 $act) three=$("$strata" generate --quiet -n 30 -t 3 $act)
    if [ "$one" = "$three" ] && [ "$one" != "$plain" ]; then ok "$act"; else not "$act" "$one / $three"; fi
done

# The stream of another text's last token, put in after the last layer, says that one's word.
patched=$("$strata" look lens -p "$p" --from "$p quiet deer named Noah. He" --patch 2.7 --csv --top 1 | tail -n 1)
alone=$("$strata" look lens -p "$p quiet deer named Noah. He" --position 7 --csv --top 1 | tail -n 1)
if [ "$patched" = "$alone" ]; then ok "a patch"; else not "a patch" "$patched / $alone"; fi

expect "a head that is not there" 1 "layer 1 has 8 heads" "$strata" generate -n 1 --scale-head 1.9=0
expect "a head without its layer" 1 "wanted LAYER.HEAD" "$strata" generate -n 1 --scale-head 3=0
expect "a scale that is no number" 1 "wanted LAYER=FACTOR" "$strata" generate -n 1 --scale-layer 1=nan
for scale in 1e300 1e30 -1e7; do
    expect "a scale of $scale" 1 "scale of .*: wanted -1e+06 to 1e+06" "$strata" generate -n 1 --scale-head 1.3=$scale
done
expect "attention too cold for a float" 1 "wanted 1e-06 to" "$strata" compare --documents 1 -n 5 --attention-temp 1e-38
expect "a head scaled twice" 1 "head '1.3=2': already changed" "$strata" generate -n 1 --scale-head 1.3=0 --scale-head 1.3=2
{ head -c 1500001 "$model"; yes | tr 'y\n' '\174\000' | head -c $(($(wc -c <"$model") - 1500001)); } >"$work/inf.gguf" # weights: infinite
for which in attention lens stream heads; do
    expect "$which of no numbers" 1 "layer 0, token 0: .* not finite" "$strata" look $which -p "$p" -m "$work/inf.gguf"
done
expect "attention at no temperature" 1 "temperature of 0: wanted" "$strata" generate -n 1 --attention-temp 0
expect "a position behind the end" 1 "the text has 8 tokens" "$strata" look lens -p "$p" --position 8
expect "a patch outside" 1 "wanted LAYER.POSITION" "$strata" look lens -p "$p" --from "$p" --patch 3.1
expect "a patch without a text" 2 "needs --from" "$strata" look lens --patch 1.1
expect "a head of the lens" 2 "needs attention" "$strata" look lens --head 1.1
expect "a text for the owner" 2 "does not go with" "$strata" look owner -p "$p"
expect "nothing of that name" 2 "wanted attention" "$strata" look soul

# A network that stands beside experts has neurons, too: gemma4 has such in layer 0, and a network alone in layer 1.
"$BUILD/tests/families" gemma4 "" "$work/gemma4.gguf"
first_token() { "$strata" generate -m "$work/gemma4.gguf" -p a -n 1 --chain greedy --logprobs 3 "$@" 2>&1 >"$work/out" | grep '^0'; }
for layer in 0 1; do
    [ "$(first_token)" != "$(first_token --scale-neuron $layer.5=1000)" ] || not "a neuron of layer $layer of gemma4" "nothing changed"
done

# Several streams: what comes next is said by all of them together.
"$BUILD/tests/families" gemma3n "" "$work/gemma3n.gguf"
expect "no lens of several streams" 1 "keeps 3 streams" "$strata" look lens -m "$work/gemma3n.gguf" -p "a fox"
same "their next token" "$("$strata" look heads -m "$work/gemma3n.gguf" -p "a fox" --kv f32 --csv | awk -F, 'NR == 2 { print $4 }')" \
    "$("$strata" generate -m "$work/gemma3n.gguf" -p "a fox" -n 1 --chain greedy --kv f32 --logprobs 1 2>&1 >/dev/null | awk '{ print $2; exit }')"

# Heads over latents are silenced one by one, too.
"$BUILD/tests/families" deepseek2 "" "$work/latent.gguf"
expect "heads over latents" 0 "^    0.1  " "$strata" look heads -m "$work/latent.gguf" -p "a fox"

# A model without attention has no heads to look at.
"$BUILD/tests/families" mamba "" "$work/mamba.gguf"
for which in attention heads; do
    expect "$which of a model without" 1 "has no attention heads" "$strata" look $which -m "$work/mamba.gguf" -p a
done
expect "and its stream" 0 "root mean square" "$strata" look stream -m "$work/mamba.gguf" -p a
