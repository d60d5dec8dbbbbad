# The menu of exercises, in one pass: a process for each row would take seconds.
#
# Reads rows of several kinds, told apart by the first field: "noted" (what was graded), "file" (what lies on the desk), "layer"
# (its title), "core" (a part of the core, and its exercises), and the exercises.  want: a layer, an exercise, "all", or nothing for
# the core; only=next prints the number of the next one alone.
BEGIN { FS = " [|] " }
/^#/ { next }
$1 == "noted" { noted[$2] = $3; passed[$2] = $4; next }
$1 == "file" { if ($3 ~ /^[1-6][.][0-9]+(_.*[.]c|[.]txt)$/) { sub(/_.*|[.]txt$/, "", $3); there[$3] = $2 }; next }
$1 == "layer" { title[$2] = $3; next }
$1 == "core" { n = split($3, number, " "); for (i = 1; i <= n; i++) { core[++cores] = number[i]; part_of[number[i]] = $2 }; next }
{
    split($1, part, ".")
    row[++rows] = $1; layer[$1] = part[1]; kind[$1] = $2; name[$1] = $3; minutes[$1] = $4; page[$1] = $5
    state[$1] = state_of($1)
    all[part[1]]++
    if (state[$1] == "passed") done[part[1]]++
    else left += $4
}
function state_of(x) {
    if (!(x in there)) return "not started"
    if (noted[x] == "passed" && passed[x] != there[x]) return "changed since it passed"
    return noted[x] == "passed" || noted[x] == "failing" ? noted[x] : "started"
}
function wanted(x) { return want == "" || want == "all" || layer[x] == want || (x "") == (want "") }
# Why this one: what its page asks, or how it stands.
function reason(x, line, file) {
    if (state[x] == "failing") return "You have started it, and the last check found a mistake."
    if (state[x] != "not started") return state[x] == "started" ? "You have started it." : "It passed, but has changed since."
    file = "docs/" page[x] ".md"
    while ((getline line < file) > 0) if (line ~ /^> /) return substr(line, 3)
    return title[layer[x]]
}
function show(x) { printf "  %-5s %-8s %-32s %3s min   %-12s docs/%s.md\n", x, kind[x], name[x], minutes[x], state[x], page[x] }
function hours(m) { return sprintf("about %.0f hours", m / 60 + 0.5) }
# The next of the core comes first, then whatever is left.
function find_next(i) {
    if (want == "") for (i = 1; i <= cores; i++) if (state[core[i]] != "passed") return core[i]
    for (i = 1; i <= rows; i++) if (wanted(row[i]) && state[row[i]] != "passed") return row[i]
}
function show_core(i, x, passed_core, left_core) {
    for (i = 1; i <= cores; i++) {
        x = core[i]
        if (part_of[x] != shown) { shown = part_of[x]; printf "\n%s\n", shown }
        show(x)
        if (state[x] == "passed") passed_core++
        else left_core += minutes[x]
    }
    printf "\n%d of the core's %d passed%s.\n", passed_core, cores, left_core ? "; " hours(left_core) " are left" : ""
    printf "%d of all %d passed%s: make learn all lists them, make learn 3 those of a layer.\n", finished, rows, left ? "; " hours(left) " are left" : ""
}
function show_layers(i, x) {
    for (i = 1; i <= rows; i++) {
        x = row[i]
        if (!wanted(x)) continue
        if (layer[x] != shown) { shown = layer[x]; printf "\nlayer %s: %s (%d of %d passed)\n", shown, title[shown], done[shown], all[shown] }
        show(x)
    }
    printf "\n%d of %d passed%s.\n", finished, rows, left ? "; " hours(left) " are left" : ""
}
END {
    next_one = find_next()
    if (only == "next") { print next_one; exit }
    for (i = 1; i <= rows; i++) if (state[row[i]] == "passed") finished++
    if (want == "") show_core()
    else show_layers()
    if (!finished) print "first: make worked top, and its page docs/start.md: half an hour, from the top"
    if (next_one != "") {
        printf "next: %s, %s, about %s minutes: make %s %s\n", next_one, name[next_one], minutes[next_one], state[next_one] == "not started" ? "start" : "grade", next_one
        printf "      %s\n", reason(next_one)
    } else if (finished < rows) print "All of this is done: make learn shows what is left."
    if (finished) print "make run MINE=all tells the story with what is yours."
    if (finished == rows) print "All of them passed.  The model speaks, and nothing of ours is left on the path you were taught."
}
