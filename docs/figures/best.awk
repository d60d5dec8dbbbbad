# Of each cut the setting with the largest F, found among some documents and told of others: awk -f best.awk SEARCH CONFIRM, two tables of pool.awk.
# Rows "chain",f,valid,kept,f_low,f_high,f_search,between of the second table; f_search is F where it was searched.  A cut that is set looser leaves
# more of the tail, so it keeps more and is less true: F of a setting between two of the grid is at most that of the tighter one's truth with the
# looser one's recall.  `between` is the largest such F that any two neighbours leave room for, in all documents.
function f(v, k) { return v + k > 0 ? 2 * v * k / (v + k) : 0 }
BEGIN { FS = "," }
/^chain,/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
{ chain = $1; family = chain; sub(/:.*/, "", family); gsub(/"/, "", family) }
!/^"[^,]*",/ || family ~ /^(temp|draw|greedy|mirostat|mirostat_v2|adaptive_p|xtc|llama|hf|openai|ollama|precise|balanced|creative)$/ { next }
NR == FNR {
    if (!(family in best)) order[++families] = family
    if ($at["f"] > best[family] + 0) { best[family] = $at["f"]; chosen[family] = chain }
    texts[chain] = $at["texts"]; valid[chain] = $at["valid"]; kept[chain] = $at["kept"]
    next
}
{
    n = texts[chain] + $at["texts"]; v = (texts[chain] * valid[chain] + $at["texts"] * $at["valid"]) / n; k = (texts[chain] * kept[chain] + $at["texts"] * $at["kept"]) / n
    if (family in last_v) {
        most = f(v > last_v[family] ? v : last_v[family], k > last_k[family] ? k : last_k[family])
        if (most > between[family] + 0) between[family] = most
    }
    last_v[family] = v; last_k[family] = k
    if (chosen[family] == chain)
        row[family] = sprintf("%s,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f", chain, $at["f"], $at["valid"], $at["kept"], $at["f_low"], $at["f_high"], best[family])
}
END {
    print "chain,f,valid,kept,f_low,f_high,f_search,between"
    for (i = 1; i <= families; i++) if (row[order[i]] != "") printf "%s,%.4f\n", row[order[i]], between[order[i]]
}
