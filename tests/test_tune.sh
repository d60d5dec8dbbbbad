#!/bin/sh
# strata tune: chains on documents of the user's; what stops goes on, and every mistake is told.
. "$(dirname "$0")/program.sh"
cd "$work" || exit 1

"$strata" world --kind story --seed 9 --documents 12 >stories 2>/dev/null
tune() { "$strata" tune -n 24 --chains draw greedy min_p:0.1 "$@" 2>"$work/err"; }
tune --documents stories --out whole.csv --plot plot.svg >table
same "a row for the documents and for each chain" "$(cut -d, -f1 whole.csv | tail -4 | tr -d '\n')" '"documents""draw""greedy""min_p:0.1"'
cell() { awk -F, -v chain="\"$1\"" -v name="$2" 'NR == 2 { for (i = 1; i <= NF; i++) if ($i == name) at = i } $1 == chain { print $at }' whole.csv; }
same "draw keeps every document" "$(cell draw kept) $(cell documents kept)" "1.000000 1.000000"
same "greedy keeps none, and repeats itself" "$(cell greedy kept) $(awk "BEGIN { print $(cell greedy distinct_2) < $(cell draw distinct_2) }")" "0.000000 1"
expect "a recommendation with its reason" 0 "Take draw: of the 1 chain that keeps at least 90 % of the documents" cat table
expect "its plot has a line for the documents" 0 "stroke-dasharray" cat plot.svg
same "... and two panels" "$(grep -c '<g transform' plot.svg)" 1
expect "none keeps enough" 0 "None of these chains keeps 100 % of the documents; min_p:0.1 keeps most" \
    "$strata" tune --documents stories -n 24 --chains greedy min_p:0.1 --keep 100

# The kept documents are those of compare, which reads the world's own.
"$strata" world --kind document --seed 2 --documents 20 2>/dev/null | awk '/^<\|im_start/ { chat = 1 } { text = text $0 "\n" } $0 == "<|endoftext|>" { if (!chat) printf "%s", text; text = chat = "" }' >held
"$strata" tune --documents held -n 400 --chains top_p:0.9 --out held.csv >"$work/out" 2>&1
n=$(grep -c '^<|endoftext|>' held)
"$strata" compare --documents "$n" -n 400 --chains top_p:0.9 --csv truth.csv >"$work/out" 2>&1
same "kept is that of compare" "$(awk -F, '$1 == "\"top_p:0.9\"" { print $2 }' held.csv)" \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "kept") at = i } NR == 2 { print $at }' truth.csv)"

# Stopped within a row, it goes on with that row; other options are another run.
head -c "$(($(wc -c <whole.csv) - 50))" whole.csv >half.csv
tune --documents stories --out half.csv >again
same "a second run goes on" "$(cat half.csv)" "$(cat whole.csv)"
same "... says from where" "$(head -1 err)" "[half.csv has 3 of 4 rows]"
same "... and prints the same table" "$(cat again)" "$(cat table)"
tune --documents stories --out half.csv --threads 3 >again
same "... which takes no time when all is there" "$(cat err)" "[half.csv has 4 of 4 rows]"
expect "another run's table" 1 "half.csv is the table of another run: got '.* -n 24 .*', wanted '.* -n 9 " "$strata" tune --documents stories --out half.csv -n 9
expect "no table of ours" 1 "table is no table of strata tune" "$strata" tune --documents stories --out table
expect "a table in a folder that is none" 1 "none/x.csv cannot be written: No such file" "$strata" tune --documents stories --out none/x.csv
expect "a table in a folder's place" 1 "is no regular file" "$strata" tune --documents stories --out "$work"
"$strata" tune --documents stories --out ended.csv -n 24 --seeds 40 >"$work/out" 2>&1 &
for wait in 1 2 3 4 5 6 7 8 9 10; do grep -q documents\" ended.csv 2>/dev/null && break || sleep 0.2; done
kill -s TERM $! # a shell's child in the background ignores SIGINT, which has the same handler
wait $! 2>/dev/null
same "an interrupted table is whole lines" "$(head -3 ended.csv | cut -c 1-12 | tr '\n' ' ')$(tail -c 1 ended.csv | wc -l | tr -d ' ')" '# strata tun chain,kept,k "documents", 1'

printf 'A fox ran home to eat.\r\n\nA hen sat down and slept.\nA hat\n' >lines
expect "a short document, by its line" 1 "lines, line 4: nothing follows the first 4 words of this document; wanted a longer one" "$strata" tune --documents lines
expect "one document per line" 0 "^3 documents, 6 texts a chain" "$strata" tune --documents lines --words 1 -n 4 --seeds 2 --chains draw
printf '\n \n' >empty
expect "no document" 1 "empty: got no documents, wanted two or more" "$strata" tune --documents empty
head -1 lines >one
expect "one document" 1 "one: got one document, wanted two or more" "$strata" tune --documents one
expect "documents that are no text" 1 "is not text: its byte" "$strata" tune --documents "$model"
expect "no documents at all" 2 "wanted --documents FILE" "$strata" tune
expect "an unknown chain" 1 "no stage 'nope'" "$strata" tune --documents stories --chains nope
expect "contrast has no amateur" 1 "tune has one model. strata compare --amateur" "$strata" tune --documents stories --chains contrast:0.1,draw
expect "a chain that looks ahead has no share" 0 "contrastive_search:0.6 *- " "$strata" tune --documents lines --words 1 -n 4 --chains draw contrastive_search:0.6
