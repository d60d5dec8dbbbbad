# Where the names of samplers stand: the time of each for the largest vocabulary, on a log scale, moved apart.
#   awk -F, -v names="greedy top_k:40 read" -f apart.awk -f times.awk FILE      read: the row "read once"
BEGIN { n = split(names, name, " ") }
$1 == 262144 && $2 == "LLM-like" && $4 != "scalar" { who = $3; gsub(/"/, "", who); if (who == "read once") who = "read"; for (i = 1; i <= n; i++) if (name[i] == who) y[i] = log($5) }
END { for (i = 1; i <= n; i++) order[i] = i; apart(y, n, order, 0.32, 99, 0); for (i = 1; i <= n; i++) print exp(y[i]) }
