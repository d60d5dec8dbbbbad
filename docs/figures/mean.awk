# Rows that agree in their first KEYS columns become one: these columns, the mean of the column after them, its standard error.
#   awk -F, -v keys=2 -f mean.awk FILE         (a first line without a number is skipped)
$(keys + 1) + 0 == 0 && $(keys + 1) !~ /^[-+.0-9]/ { next }
{
    key = $1
    for (i = 2; i <= keys; i++) key = key "," $i
    if (!(key in n)) order[++groups] = key
    n[key]++; sum[key] += $(keys + 1); squares[key] += $(keys + 1) ^ 2
}
END {
    for (i = 1; i <= groups; i++) {
        k = order[i]; mean = sum[k] / n[k]; variance = squares[k] / n[k] - mean * mean
        printf "%s,%.5f,%.5f\n", k, mean, (n[k] > 1 && variance > 0 ? sqrt(variance / (n[k] - 1)) : 0)
    }
}
