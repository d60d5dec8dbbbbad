# What share.sh puts together, in words.  Rows: done (an exercise that is finished), ours (a file and why it is the library's),
# hole (an exercise), path (a file, a function, and when it runs).
#
# A function on the straight path is the learner's (written in an exercise that is finished), waits in one that is not, stands
# around them in the same file or in one that an exercise mends, or is the library's: then ours.txt says why.
$1 == "done" { finished[$2]; next }
$1 == "ours" { where[++reasons] = $2; why[reasons] = $3; next }
$1 == "hole" && ($3 == "fill" || $3 == "speed") { owner[$7] = $2; for (i = split($8, name, ","); i; i--) writes[$7, name[i]] = $2; next }
$1 == "hole" && $3 == "break" { mended[$7]; next }
$1 != "path" { next }
{ once = $4 == "once" }
($2, $3) in writes { if (writes[$2, $3] in finished) { if (once) once_yours++; else yours++ } else if (!once) waiting++; if (once) all_once++; else all++; next }
once { all_once++; next }
{
    all++
    if ($2 in owner || $2 in mended) { around++; next }
    for (i = 1; i <= reasons && index($2, where[i]) != 1; i++) ;
    if (i > reasons) { print "exercises/ours.txt: why is " $3 " (" $2 ") the library's?"; missing = 1; next }
    library++
    if (!(why[i] in count)) order[++groups] = why[i]
    count[why[i]]++
    names[why[i]] = names[why[i]] " " $3
}
END {
    print "the straight path: what runs again for every token of a story, or for every step of a training"
    printf "  of %d functions %d are yours%s, %d stand around them in the same files, and %d are the library's, which\n", all, yours, waiting ? sprintf(", %d wait in exercises that are not done", waiting) : "", around, library
    for (g = 1; g <= groups; g++) {
        i = order[g]
        line = sprintf("    %s (%d):", i, count[i])
        for (k = split(substr(names[i], 2), word, " "); k; k--) { if (length(line) + length(word[k]) > 118) { print line; line = "       " } line = line " " word[k] }
        print line
    }
    printf "  and %d functions run once, before it begins or when it is over: %d of them are yours (build/exercises/path.txt names all)\n", all_once, once_yours
    exit missing
}
