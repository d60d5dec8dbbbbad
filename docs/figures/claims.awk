# What a page says about a figure, asked of its numbers: NAME.claims is read after this file, over NAME.csv.
# A claim that does not hold is printed and ends the build.
BEGIN { FS = "," }
function claim(sentence, holds) { if (!holds) { print "not in the data: " sentence; broken = 1 } }
function unquoted(text) { gsub(/"/, "", text); return text }
