#!/bin/sh
# nearest.sh WORD CANDIDATE...: the candidate that a slip of the keys makes of WORD, or nothing.  A slip is a letter too many, too
# few, another, or two that changed places; up to a third of the word may be slips.
word=$1
shift
printf '%s\n' "$@" | awk -v word="$word" '
function least(a, b) { return a < b ? a : b }
function slips(a, b,   i, j, n, m, d) {
    n = length(a); m = length(b)
    for (i = 0; i <= n; i++) d[i, 0] = i
    for (j = 0; j <= m; j++) d[0, j] = j
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++) {
            d[i, j] = least(d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)), least(d[i - 1, j], d[i, j - 1]) + 1)
            if (i > 1 && j > 1 && substr(a, i, 1) == substr(b, j - 1, 1) && substr(a, i - 1, 1) == substr(b, j, 1))
                d[i, j] = least(d[i, j], d[i - 2, j - 2] + 1)
        }
    return d[n, m]
}
BEGIN { fewest = int((length(word) + 2) / 3) + 1 }
{ n = slips(word, $0); if (n < fewest) { fewest = n; found = $0 } }
END { if (found != "") print found }'
