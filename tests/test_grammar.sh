#!/bin/sh
# strata grammar: texts that belong, where one leaves, texts that are drawn, tokens that may come.
. "$(dirname "$0")/program.sh"

cat >"$work/sum.gbnf" <<'END'
root ::= sum "\n"
sum ::= term ("+" term)*
term ::= [0-9]+ | "(" sum ")" | name
name ::= [a-zà-ÿ]+
END
echo '{"properties": {"name": {"type": "string", "maxLength": 9}, "tags": {"items": {"enum": [1, "x"]}, "type": "array", "maxItems": 3}},
  "required": ["name", "tags"], "type": "object", "additionalProperties": false}' >"$work/card.json"
sum="grammar --gbnf $work/sum.gbnf" card="grammar --schema $work/card.json"

expect "grammar --help" 0 "usage: strata grammar" "$strata" grammar --help
mkdir "$work/folder"
for tests in '{}' '[1]' '[{"data": 1}]' '[{"data": 1, "valid": "yes"}]'; do
    printf '{"schema": {}, "tests": %s}' "$tests" >"$work/folder/odd.json"
    expect "a folder with tests $tests" 1 "odd.json: .*wanted" "$strata" bench grammar --folder "$work/folder"
done
expect "no grammar" 2 "give --gbnf FILE, --schema FILE, --tags FILE or --regex" "$strata" grammar --accept
expect "tags and a pattern" 2 "does not go with --regex" "$strata" grammar --tags x --regex a
expect "tags that are refused" 3 "structures/0: begin starts with no trigger" sh -c "echo '{\"triggers\": [\"<\"], \"structures\": [{\"begin\": \"x\", \"end\": \"y\"}]}' | '$strata' grammar --tags -"
printf '{"type": "structural_tag", "triggers": ["<call"], "structures": [{"begin": "<call>", "schema": {"enum": [7]}, "end": "</call>"}]}' >"$work/call.json"
same "free text with a call in it" "$(printf '"Well. <call>7</call> So."\n"<call>8</call>"\n"<c"\n' | "$strata" grammar --tags "$work/call.json" --accept | tr '\n' ' ')" "1 0 1 "
printf '{"triggers": ["<|im_start|>"], "structures": [{"begin": "<|im_start|>call ", "schema": {"enum": [7]}, "end": "<|im_end|>"}]}' >"$work/special.json"
same "a tag that begins with a special token" "$(printf '["Hi ",1,"call 7",2," Bye"]\n["Hi ",1,"call 7","<|im_end|>"]\n["Hi ",1,"call 8",2]\n["<|im_start|>"]\n' | "$strata" grammar --tags "$work/special.json" -m "$model" --accept | tr '\n' ' ')" "1 0 0 1 "
echo '{"tags": [{"begin": "[", "any": [{"begin": "a", "regex": "[1-3]", "end": ""}, {"begin": "b", "regex": "[4-6]", "end": ""}], "separator": ", ", "end": "]"}]}' >"$work/list.json"
same "a list of tags" "$(printf '"[a1]"\n"[a1, b4, a3]"\n"[]"\n"[a1,b4]"\n"[a4]"\n"[a1, ]"\n' | "$strata" grammar --tags "$work/list.json" --accept | tr '\n' ' ')" "1 1 0 0 0 0 "
sed 's/"separator": ", ", //' "$work/list.json" >"$work/one.json"
same "one of several tags" "$(printf '"[a1]"\n"[b5]"\n"[a1, b4]"\n' | "$strata" grammar --tags "$work/one.json" --accept | tr '\n' ' ')" "1 1 0 "
echo '{"at_start": true, "triggers": ["{"], "structures": [{"begin": "{x", "regex": "[0-9]+", "end": "}"}]}' >"$work/start.json"
same "a tag at the start alone" "$(printf '"{x12}"\n"So {x12}, {y"\n"{y"\n"{x12} So"\n""\n' | "$strata" grammar --tags "$work/start.json" --accept | tr '\n' ' ')" "1 1 0 0 1 "
expect "a separator of nothing" 3 "the separator is a text, and needs any" sh -c "echo '{\"tags\": [{\"begin\": \"x\", \"end\": \"y\", \"separator\": \",\"}]}' | '$strata' grammar --tags -"
same "the same without a model is text" "$(printf '"Hi <|im_start|>call 7<|im_end|>"\n"<|im_start|>"\n' | "$strata" grammar --tags "$work/special.json" --accept | tr '\n' ' ')" "1 0 "
expect "two grammars" 2 "does not go with --regex" "$strata" grammar --gbnf "$work/sum.gbnf" --regex a
expect "white space of a pattern" 2 "--space needs --schema" "$strata" grammar --regex a --space none
expect "two questions" 2 "does not go with --sample" "$strata" grammar --regex a --explain a --sample 2
expect "a seed for nothing" 2 "--seed needs --sample" "$strata" grammar --regex a --seed 2
expect "one standard input for two" 2 "cannot both read standard input" "$strata" grammar --gbnf - --accept
expect "no texts" 2 "'0': wanted an integer from 1" "$strata" grammar --regex a --sample 0
expect "a grammar that is not there" 1 "none.gbnf cannot be opened: No such" "$strata" grammar --gbnf "$work/none.gbnf"
expect "a grammar that is refused" 3 "character 4: look-behind" "$strata" grammar --regex "a(?<=b)"
same "a refusal is one line" "$(wc -l <"$work/out")" 1
expect "a schema that is refused" 3 "uniqueItems" sh -c "echo '{\"uniqueItems\": true}' | '$strata' grammar --schema -"

same "strings, parts, tokens and empty lines" "$(printf '"a"\n\n["a", "b"]\n"abc"\n[7]\n' | "$strata" grammar --regex 'ab?' --accept | tr '\n' ' ')" "1 1 0 0 "
printf 'root ::= <[7]> "x" !<[8]>' >"$work/tokens.gbnf"
same "tokens by their numbers" "$(printf '[7,"x",9]\n[7,"x",8]\n[7,"x"]\n' | "$strata" grammar --gbnf "$work/tokens.gbnf" --accept | tr '\n' ' ')" "1 0 0 "
printf 'root ::= <[10]> (!<[11]>)* <[11]>\n' >"$work/think.gbnf"
same "any other tokens, as a text" "$(printf '[10,"hello world",11]\n[10,"a",12,"b",11]\n[10,"a",11,"b",11]\n["a"]\n[10,11]\n' | "$strata" grammar --gbnf "$work/think.gbnf" --accept | tr '\n' ' ')" "1 1 0 0 1 "
same "tokens of a model" "$(printf '[35,"x"]\n["x",35]\n' | "$strata" grammar --regex ' x' -m "$model" --accept | tr '\n' ' ')" "1 0 "
expect "a line that is no text" 1 "line 2 of standard input: wanted a JSON string" sh -c "printf '\"a\"\n{}\n' | '$strata' grammar --regex a --accept"
expect "a token that no model has" 1 "line 1 of standard input" sh -c "echo '[99999]' | '$strata' grammar --regex a -m '$model' --accept"

expect "a text that belongs" 0 "the grammar accepts the text" "$strata" $sum --explain "1+(a+é)
"
expect "where a text leaves" 0 "line 1, column 5, byte 5: '\*'" "$strata" $sum --explain '12+ñ*'
same "what was wanted there" "$(grep wanted "$work/out")" "  wanted  [\\n+a-zà-ÿ]"
expect "rules are named" 0 "  rules   sum, term, name" "$strata" $sum --explain '('
expect "a text that is not complete" 0 "the text is incomplete" "$strata" $sum --explain '12'
expect "the end is wanted, too" 0 "wanted  \[0-9\] or the end of the text" "$strata" grammar --regex '[0-9]+' --explain '1x'

"$strata" $sum --sample 200 --seed 5 >"$work/drawn" 2>"$work/err"
same "two hundred texts are drawn" "$(wc -l <"$work/drawn")" 200
same "what is drawn belongs" "$("$strata" $sum --accept <"$work/drawn" | sort | uniq -c | tr -d ' ')" 2001
same "a seed is the same texts" "$("$strata" $sum --sample 200 --seed 5 | cksum)" "$(cksum <"$work/drawn")"
"$strata" $card --sample 50 -m "$model" >"$work/drawn" 2>"$work/err"
same "tokens that are drawn make texts that belong" "$("$strata" $card --accept <"$work/drawn" | sort | uniq -c | tr -d ' ')" 501
printf '%s\n' '{"type": "object", "patternProperties": {"\\d": {"type": "boolean"}}, "minProperties": 1}' >"$work/digit.json"
"$strata" grammar --schema "$work/digit.json" --sample 200 --seed 303 >"$work/drawn" 2>"$work/err"
same "a key that needs a digit ends, too" "$(grep -c . "$work/drawn") $(cat "$work/err")" "200 "
expect "there is nothing to draw" 1 "grammar matches no text" sh -c "echo false | '$strata' grammar --schema - --sample 1"
expect "tokens cannot be drawn as bytes" 1 "give the model with -m" "$strata" grammar --gbnf "$work/tokens.gbnf" --sample 1

expect "the mask of a prefix" 0 "^1 of 2048 tokens may come" "$strata" grammar --regex ' xy' --mask "" -m "$model"
expect "the mask after the last character" 0 "^2 of 2048 tokens may come" "$strata" grammar --regex ' x' --mask " x" -m "$model"
same "tokens that end a text are named" "$(grep -c 'ends the text' "$work/out")" 2
expect "the mask of a text that has left" 0 "^0 of 2048.*the grammar refuses the text" "$strata" grammar --regex a --mask b -m "$model"
expect "how large it is" 0 "rules, .* expressions, .* rows, .* compiled in" "$strata" $sum --stats

expect "a folder of schemas" 0 "^7 files: 6 compiled (85.7 %), 1 refused" "$strata" bench grammar --folder tests/schemas
expect "no answer of it is wrong" 0 "0 files with a wrong answer" "$strata" bench grammar --folder tests/schemas
expect "what is refused is named" 0 "1 refused: unevaluatedProperties" "$strata" bench grammar --folder tests/schemas
expect "no folder" 1 "no folder that can be read" "$strata" bench grammar --folder "$work/none"

# A million ways to go on at once: the limit is told, and no answer is printed.
awk 'BEGIN { srand(1); printf "\""; for (i = 0; i < 300000; i++) printf "%s", (rand() < 0.5 ? "a" : "b"); print "\"" }' >"$work/long"
expect "a limit is told" 1 "exceeds the grammar's limits" sh -c "'$strata' grammar --regex '(a|b)*a(a|b){40}' --accept <'$work/long'"

# ------------------------------------------------------------------ texts of a model that obey
ln -s "$draft" "$work/draft.gguf"
write="generate --no-prompt"
for way in "" "--draft lookup" "--draft $work/draft.gguf" "--best-of 3" "--threads 3"; do
    for seed in 1 2 3; do
        # shellcheck disable=SC2086
        "$strata" $write --grammar "$work/sum.gbnf" --seed $seed -n 300 $way 2>"$work/err" >"$work/text"
        grep -q "grammar complete" "$work/err" || not "a text is complete $way" "$(cat "$work/err")"
        text=$(tr -d '\n' <"$work/text")
        expect "a text obeys, seed $seed $way" 0 "the grammar accepts the text" "$strata" $sum --explain "$text
"
    done
done
expect "a schema's text" 0 "grammar complete" "$strata" $write --schema "$work/card.json" -n 400
grep '^{' "$work/out" | tr -d '\n' >"$work/text"
expect "it fulfils the schema" 0 "the grammar accepts the text" "$strata" $card --explain "$(cat "$work/text")"
expect "a pattern with commas and colons" 0 "^a,:=%b\$" "$strata" $write --regex 'a,:=%b'
expect "a pattern that is no file" 0 "^@a\$" "$strata" $write --regex '@a'
expect "two at once" 2 "only one of them constrains a text" "$strata" $write --regex a --schema "$work/card.json"
for way in "--beams 3" "--beams 4 --beam-groups 2 --beam-diversity 1" "--beams 3 --heal" "--heal" "--heal --best-of 3" "--particles 6" "--particles 3 --resample 1 --heal" "--distinct 4" "--distinct 3 --heal" "--power 2" "--power 1 --moves 3 --heal" "--aligned 6" "--aligned 4 --heal" "--best-of 3 --by mbr"; do
    # shellcheck disable=SC2086
    "$strata" $write --regex 'd (red|kind) (fox|owl) called [A-Z][a-z]{2,6}[.]' -p "There was an ol" $way 2>"$work/err" >"$work/text"
    grep -q "grammar complete" "$work/err" || not "a text is complete $way" "$(cat "$work/err")"
    expect "a text obeys $way" 0 "the grammar accepts the text" "$strata" grammar --regex 'd (red|kind) (fox|owl) called [A-Z][a-z]{2,6}[.]' --explain "$(tr -d '\n' <"$work/text")"
done
echo 'root ::= <[99999]>' >"$work/none.gbnf"
optional=$(awk 'BEGIN { for (i = 0; i < 3000; i++) printf "(a|b)*" }')
expect "a text beyond the limits is no end of the text" 1 "dead end: regex.*more than 500,000 steps of work for one token" "$strata" $write --regex "$optional" -n 3
expect "beams with no way on" 1 "dead end" "$strata" $write --beams 2 --grammar "$work/none.gbnf" -n 3
expect "distinct texts with no way on" 1 "dead end" "$strata" $write --distinct 2 --grammar "$work/none.gbnf" -n 3
expect "no first text to sharpen" 1 "dead end" "$strata" $write --power 2 --grammar "$work/none.gbnf" -n 3
expect "particles with no way on" 1 "dead end" "$strata" $write --particles 2 --grammar "$work/none.gbnf" -n 3
expect "no draw that obeys" 1 "dead end" "$strata" $write --aligned 2 --grammar "$work/none.gbnf" -n 3
expect "draws that all hit the limit" 0 "no draw was complete, so ln P is unknown" "$strata" $write --aligned 3 --regex '[a-z ]+[.]' -n 3
expect "time is for all draws" 0 "time limit" timeout 20 "$strata" $write --aligned 100000000 --regex '[a-z ]+[.]' --seconds 0.2
same "one aligned text is the mask" "$("$strata" $write --regex '[a-z ]+[.]' --aligned 1 --seed 7 --quiet)" "$("$strata" $write --regex '[a-z ]+[.]' --chain draw --seed 7 --quiet)"
same "aligned texts are the same with more threads" "$("$strata" $write --regex '[a-z ]+[.]' --aligned 20 -t 1 2>&1 | grep -v storyteller)" "$("$strata" $write --regex '[a-z ]+[.]' --aligned 20 -t 3 2>&1 | grep -v storyteller)"
expect "particles whose grammar exceeds its limits" 1 "dead end: regex.*more than 500,000 steps of work for one token" "$strata" $write --regex "$optional" --particles 3 -n 3
expect "particles that all hit the limit" 0 "no particle was complete, so ln P is unknown" "$strata" $write --regex '[a-z ]+[.]' --particles 3 -n 3
"$strata" generate -p hello --regex ' (yes|no)' --particles 2 >"$work/out" 2>&1
same "particles are reported before the text, the prompt included" "$(grep -n hello "$work/out" | cut -d: -f1)" 4
ambiguous=$(awk 'BEGIN { for (i = 0; i < 900; i++) printf "(a|b)*" }')c
expect "--seconds ends a costly step of a grammar" 0 "0 tokens.*time limit" "$strata" $write --regex "$ambiguous" --particles 3 --seconds 0.001
expect "... of a text, too" 0 "time limit" "$strata" $write --regex "$ambiguous" --seconds 0.001
expect "a choice that is shorter than min_tokens" 1 "min_tokens wants at least 5 tokens, and no text of choice has more than 3 bytes" "$strata" $write --chain choice:owl,min_tokens:5
expect "... and one that has a longer text" 0 "grammar complete" "$strata" $write --chain "choice:owl|badger,min_tokens:5,temp:1"
expect "tags say once where an error is" 1 "^strata: tags: structures/0: wanted" "$strata" $write --chain 'tags:{"triggers"%3A["<"]%2C"structures"%3A[5]},draw'
same "one particle is the mask" "$("$strata" $write --regex '[a-z ]+[.]' --particles 1 --seed 7 --quiet)" "$("$strata" $write --regex '[a-z ]+[.]' --chain draw --seed 7 --quiet)"
expect "no pattern" 1 "is empty" "$strata" $write --regex ""
expect "a file's grammar that is refused" 1 "the start rule 'root' is missing" sh -c "echo 'a ::= \"x\"' >$work/bad.gbnf; '$strata' $write --grammar $work/bad.gbnf"
# The draft model's chain follows the text: what it drafts is what the grammar leaves.
same "a draft obeys, too" "$("$strata" $write --regex 'qxzjvkwqzxjvkwqzjxvqkzwxjqv' --draft "$draft" 2>&1 >/dev/null | sed -n 's/.*accepted (\(.*\) %), .*/\1/p')" "100.0"
