# Which works a sampled check takes: sourced by check and capstone/desk.
#
# The files of the commit decide, so that a commit passes or fails on every day alike, and the next one has others.  Without git: the day.
turn_of_commit() {
    tree=$(git rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c1-7)
    if [ "$tree" ]; then echo $((0x$tree)); else echo $(($(date +%s) / 86400)); fi
}

# Of the lines that come in one in N, by turns, and at least one.   one_in N [TURN]
one_in() {
    awk -v n="$1" -v turn="${2:-$(turn_of_commit)}" '{ line[NR] = $0 } END { if (n > NR) n = NR; for (i = 1; i <= NR; i++) if ((i + turn) % n == 0) print line[i] }'
}
