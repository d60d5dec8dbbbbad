# Rows of `strata figure guess` with a column more: the speed-up for a target whose pass over n tokens takes as long as the
# first file says (n,seconds), with a draft model a tenth as dear.  Look-up drafts cost nothing.
#
#   speed-up = tokens a pass * time(1) / (time(1 + length) + length * time(1) / 10)
#
# A pass over fewer tokens takes no longer than one over more: so much of the noise can be told, and is left out.
FNR == NR { size[++n] = $1; time[n] = $2; next }
/^length/ {
    for (i = n - 1; i >= 1; i--) if (time[i] > time[i + 1]) time[i] = time[i + 1]
    print $0 ",larger"
    next
}
{
    for (b = 1; b < n && size[b] < $1 + 1; b++);
    a = size[b] > $1 + 1 ? b - 1 : b
    pass = a == b ? time[a] : time[a] + (time[b] - time[a]) * ($1 + 1 - size[a]) / (size[b] - size[a])
    printf "%s,%.4f\n", $0, $4 * time[1] / (pass + ($2 == "draft" ? $1 * time[1] / 10 : 0))
}
