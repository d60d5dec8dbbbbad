# Tables of strata compare that differ in their seed and their documents, pooled: awk -v label=L -v names="valid kept ..." -f wilson.awk -f pool.awk TABLE TABLE...
# A row for each chain: chain,study,texts, each name with its interval of 95 %; f, the harmonic mean of valid and kept, with its interval; of
# valid, kept and f the lowest and the highest among the tables; and how many tables there are.  head=1 prints the names.
#
# Shares get Wilson's interval for all texts (all documents) together; means that of a mean of independent tables.  F's interval is made
# of those of valid and kept, which are independent: the squares of what F loses at the end of each, added (Zou and Donner 2008, doi:10.1002/sim.3095).
function f(v, k) { return v + k > 0 ? 2 * v * k / (v + k) : 0 }
BEGIN {
    FS = ","; n = split(names, name, " ")
    if (head) {
        printf "chain,study,texts"
        for (i = 1; i <= n; i++) printf ",%s,%s_low,%s_high", name[i], name[i], name[i]
        print ",f,f_low,f_high,valid_lowest,valid_highest,kept_lowest,kept_highest,f_lowest,f_highest,sets"
        exit
    }
}
FNR == 1 { for (i = 2; i <= NF; i++) at[$i] = i; sets++; next }
{
    line = $0; chain = $1
    if (match(line, /^"[^"]*"/)) { chain = substr(line, 1, RLENGTH); line = "-" substr(line, RLENGTH + 1); $0 = line }
    if (!(chain in texts)) order[++chains] = chain
    texts[chain] += $at["texts"]
    for (i = 1; i <= n; i++) {
        if ($at[name[i]] == "") continue
        key = chain SUBSEP i; count[key]++; sum[key] += $at[name[i]]; half = ($at[name[i] "_high"] - $at[name[i] "_low"]) / 2; square[key] += half * half
        if (!(key in least) || $at[name[i]] + 0 < least[key]) least[key] = $at[name[i]] + 0
        if (!(key in most) || $at[name[i]] + 0 > most[key]) most[key] = $at[name[i]] + 0
    }
    one = f($at["valid"], $at["kept"])
    if (!(chain in lowest) || one < lowest[chain]) lowest[chain] = one
    if (!(chain in highest) || one > highest[chain]) highest[chain] = one
}
END {
    if (head) exit
    for (c = 1; c <= chains; c++) {
        chain = order[c]; printf "%s,%s,%d", chain, label, texts[chain]
        for (i = 1; i <= n; i++) {
            key = chain SUBSEP i
            if (!count[key]) { printf ",,,"; continue }
            mean = sum[key] / count[key]; half = sqrt(square[key]) / count[key]; low = mean - half; high = mean + half
            if (name[i] == "valid" || name[i] == "kept") { low = wilson(mean, texts[chain], -1); high = wilson(mean, texts[chain], 1) }
            printf ",%.6f,%.6f,%.6f", mean, low, high
            m[name[i]] = mean; l[name[i]] = low; h[name[i]] = high
        }
        v = m["valid"]; k = m["kept"]; whole = f(v, k)
        down = sqrt((whole - f(l["valid"], k)) ^ 2 + (whole - f(v, l["kept"])) ^ 2); up = sqrt((f(h["valid"], k) - whole) ^ 2 + (f(v, h["kept"]) - whole) ^ 2)
        printf ",%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%d\n", whole, whole - down, whole + up < 1 ? whole + up : 1,
            least[chain SUBSEP 1], most[chain SUBSEP 1], least[chain SUBSEP 2], most[chain SUBSEP 2], lowest[chain], highest[chain], sets
    }
}
