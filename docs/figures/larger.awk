# Rows of `strata figure guess` with a column more: the speed-up for a target whose pass over n tokens takes as long as the
# first file says (n,seconds), with a draft model a tenth as dear.  Two of three blocks cost two thirds.  Other drafts cost nothing.
#
#   speed-up = tokens a pass * time(1) / (time(rows) + length * cost * time(1))
#
# A pass over fewer tokens takes no longer than one over more: so much of the noise can be told, and is left out.
# Each of three leaves at depth i is verified with the i tokens that it stands on.  A drafter that costs nothing finds a draft only at
# times: (tokens a pass - 1) / accepted is the mean length, so that part of the passes has all rows, and the others have one.
function rows(drafter, n) { return n + 1 + (drafter == "leaves" ? 3 * n * (n + 3) / 2 : 0) }
function cost(drafter) { return drafter == "draft" ? 1 / 10 : drafter == "skip" || drafter == "leaves" ? 2 / 3 : 0 }
function pass(read,   a, b) {
    for (b = 1; b < n && size[b] < read; b++);
    a = size[b] > read ? b - 1 : b
    return a == b ? time[a] : time[a] + (time[b] - time[a]) * (read - size[a]) / (size[b] - size[a])
}
FNR == NR { size[++n] = $1; time[n] = $2; next }
/^length/ {
    for (i = n - 1; i >= 1; i--) if (time[i] > time[i + 1]) time[i] = time[i + 1]
    print $0 ",larger"
    next
}
{
    drafted = cost($2) > 0 || $3 == 0 ? 1 : ($4 - 1) / $3 / $1
    if (drafted > 1) drafted = 1
    seconds = drafted * pass(rows($2, $1)) + (1 - drafted) * time[1]
    printf "%s,%.4f\n", $0, $4 * time[1] / (seconds + $1 * cost($2) * time[1])
}
