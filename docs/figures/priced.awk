# What price.gp writes beside its points: chain microseconds f height, one a line; the names moved apart.   awk -F, -f apart.awk -f priced.awk FILE
/^"/ { chain[++n] = substr($1, 2, length($1) - 2); time[n] = $5; f[n] = y[n] = $2; who[n] = n }
END { apart(y, n, who, 0.0135, 1, 0.76); for (i = 1; i <= n; i++) print chain[who[i]], time[who[i]], f[who[i]], y[who[i]] }
