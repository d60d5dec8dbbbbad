# Of each cut in frontier.csv the setting with the largest F, the harmonic mean of valid and kept: "chain",F,valid,kept
match($0, /^"[^":]*:?[^"]*"/) {
    chain = substr($0, 1, RLENGTH); split(substr($0, RLENGTH + 2), cell, ",")
    family = chain; sub(/:.*/, "", family); gsub(/"/, "", family)
    valid = cell[3]; kept = cell[6]
    if (family ~ /^(temp|draw|greedy|mirostat_v2|adaptive_p)$/ || valid + kept == 0) next
    f = 2 * valid * kept / (valid + kept)
    if (!(family in best)) order[++families] = family
    if (f > best[family] + 0) { best[family] = f; line[family] = sprintf("%s,%.4f,%.4f,%.4f", chain, f, valid, kept) }
}
END { for (i = 1; i <= families; i++) if (best[order[i]] > 0) print line[order[i]] }
