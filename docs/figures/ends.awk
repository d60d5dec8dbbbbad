# Where the names of mixers stand: the last value of each in a column, on a log scale, moved apart.   awk -F, -v column=3 -v unit=1 -f apart.awk -f ends.awk FILE
$2 == 4096 { who[++n] = n; y[n] = log($column / unit) }
END { apart(y, n, who, 0.42, 99, 0); for (i = 1; i <= n; i++) print exp(y[i]) }
