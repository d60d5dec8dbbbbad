# Where the names of mixers stand: the last value of each in a column, on a log scale, moved apart; then these values themselves.   awk -F, -v column=3 -v unit=1 -v gap=0.4 -f apart.awk -f ends.awk FILE
$2 == 4096 { who[++n] = n; y[n] = log($column / unit); end = end $column / unit "\n" }
END { apart(y, n, who, gap, 99, 0); for (i = 1; i <= n; i++) print exp(y[i]); printf "%s", end }
