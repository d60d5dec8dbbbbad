# Names at the right of points, at RIGHT: chain x y height, one a line, moved apart.   awk -F, -v right=0.9 [-v scale=log] -v gap=0.0135 -v ceiling=1 -v floor=0.76 -f apart.awk -f priced.awk FILE
# FILE: "chain",y,...,...,x
/^"/ { chain[++n] = substr($1, 2, length($1) - 2); x[n] = $5; along[n] = scale == "log" ? log($5) : $5; at[n] = y[n] = $2; who[n] = n }
END {
    apart(y, n, who, gap, ceiling, floor)
    uncross(y, n, who, along, at, scale == "log" ? log(right) : right)
    for (i = 1; i <= n; i++) print chain[who[i]], x[who[i]], at[who[i]], y[who[i]]
}
