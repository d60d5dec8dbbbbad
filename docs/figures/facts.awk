# Which facts of a tale are said again rightly.  Reads tales of the world first, then told ones (FILE > 1): rows mixer,chain,what,tales,share,low,high, a
# share with Wilson's interval of 95 %.  A tale that does not tell a fact again, or not for the first time, does not count for it.
#   awk -v mixer=delta -v chain=draw -f wilson.awk -f facts.awk TALES TOLD
function row(what,   n, p) {
    n = said[what]
    if (!n) return
    p = right[what] / n
    printf "%s,%s,%s again,%d,%.4f,%.4f,%.4f\n", mixer, chain, what, n, p, wilson(p, n, -1), wilson(p, n, 1)
}
function fact(what, holds) { said[what]++; right[what] += holds }
FNR == 1 { files++ }
/^One day, / && / could not find h[a-z]+ / { # hero, color, thing
    hero = $3; lost = $0
    sub(/^.* could not find h[a-z]+ /, "", lost); sub(/\. .*/, "", lost)
    color = thing = lost; sub(/ .*/, "", color); sub(/^[^ ]* /, "", thing)
    if (files == 1) colors[color] = names[hero] = 1
}
/^Then / { # friend, and what is said from then on
    friend = $2
    if (files == 1) { names[friend] = 1; next }
    rest = $0; sub(/^.* came by\. /, "", rest)
    fact("thing", index(rest, thing) > 0)
    others = 0; n = split(rest, word, /[^A-Za-z-]+/)
    for (i = 1; i <= n; i++) if (word[i] in names && word[i] != hero && word[i] != friend) others = 1
    fact("friend", !others)
    same = none = 0
    for (i = 1; i <= n; i++) if (word[i] in colors) { none++; same += word[i] == color }
    if (none) fact("color", same == none)
}
/^That evening / && files > 1 { fact("hero", $3 == hero) }
END { row("hero"); row("thing"); row("friend"); row("color") }
