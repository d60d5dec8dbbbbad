# What a page says about a figure, asked of its numbers: NAME.claims is read after this file, over NAME.csv.
# A claim that does not hold is printed and ends the build.
BEGIN { FS = "," }
function claim(sentence, holds) { if (!holds) { print "not in the data: " sentence; broken = 1 } }
function unquoted(text) { gsub(/"/, "", text); return text }

# For sentences: {{ number NAME percent(value("greedy", "valid")) }} on a page asks the same numbers.
function percent(x) { return 0 < x && x < 0.005 || 0.995 <= x && x < 1 ? sprintf("%.1f", 100 * x) : sprintf("%.0f", 100 * x) } # 100: of all
function in_points(x) { return sprintf("%.0f", 100 * x) }
function rounded(x) { return sprintf("%.0f", x) }
function tenths(x) { return sprintf("%.1f", x) }
function hundredths(x) { return sprintf("%.2f", x) }
function thousandths(x) { return sprintf("%.3f", x) }
function listed(words,   w, n, i, text) { # "0.6 0.7 1.1": 0.6, 0.7 and 1.1
    n = split(words, w, " "); text = w[1]
    for (i = 2; i <= n; i++) text = text (i < n ? ", " : " and ") w[i]
    return text
}
function told_true(chain) { return percent(value(chain, "valid")) }
function could_tell(chain) { return percent(value(chain, "kept")) }

# A table of measure.sh: `/^chain,/ { head() } /^"/ { row() }`, then value(chain, column); chain may be study:chain.
function head(   i) { for (i = 1; i <= NF; i++) name[i] = $i }
function row(   chain, rest, cell, i, n) {
    match($0, /^"[^"]*"/)
    chain = substr($0, 2, RLENGTH - 2); rest = substr($0, RLENGTH + 2); n = split(rest, cell, ",")
    all[++rows] = cell[1] ":" chain
    for (i = 1; i <= n; i++) v[chain, name[i + 1]] = v[cell[1] ":" chain, name[i + 1]] = cell[i]
}
function value(chain, column) { claim("a column " column " of " chain, ((chain, column) in v) && v[chain, column] != ""); return v[chain, column] + 0 }
function low(chain, column) { return value(chain, column "_low") }
function high(chain, column) { return value(chain, column "_high") }
function within(chain, column, from, to) { return value(chain, column) >= from && value(chain, column) <= to }
# the intervals leave each other out; they do not
function above(a, b, column) { return low(a, column) > high(b, column) }
function alike(a, b, column) { return !above(a, b, column) && !above(b, a, column) }
