# What precision and recall of cuts are drawn from: of each family of cuts a curve, its best setting, and a name for that.
#   awk -v heat=1.5 -v names="top_p min_p" -v part=curves|best|names -f apart.awk -f curves.awk FILE      heat: the temperature before the cut; none: 1
# curves: kept,valid by kept, one block a family, up to the first setting that forbids nothing; best: number,kept,valid,the intervals,setting; names: number y
# kept valid name setting, of the best one.  Names are moved apart, between TOP and LOW: two are at least GAP apart on the spread scale of style.gp.
BEGIN { FS = ","; families = split(names, name, " "); if (!gap) gap = 0.035; floor = spread(low); ceiling = spread(top == "" ? 1 : top) }
/^#/ { next }
!seen { for (i = 1; i <= NF; i++) at[$i] = i; seen = 1; next }
match($0, /^"[^"]*"/) {
    chain = substr($0, 2, RLENGTH - 2); split("x" substr($0, RLENGTH + 1), cell, ",")
    if (heat) { if (!sub("^temp:" heat "[, ]", "", chain)) next }
    else if (chain ~ /[, ]/) next
    for (f = 1; f <= families; f++) if (index(chain, name[f] ":") == 1 || chain == name[f]) keep(f)
}
function keep(f,   k, v) {
    k = cell[at["kept"]] + 0; v = cell[at["valid"]] + 0
    n[f]++; kept[f, n[f]] = k; valid[f, n[f]] = v; setting[f, n[f]] = substr(chain, length(name[f]) + 2)
    bars[f, n[f]] = cell[at["kept_low"]] "," cell[at["kept_high"]] "," cell[at["valid_low"]] "," cell[at["valid_high"]]
    score = k + v ? 2 * k * v / (k + v) : 0
    if (!(f in most) || score > most[f]) { most[f] = score; best[f] = n[f] }
}
function before(f, a, b) { return kept[f, a] < kept[f, b] || (kept[f, a] == kept[f, b] && valid[f, a] > valid[f, b]) }
function sorted(f,   i, j, t) {
    for (i = 1; i <= n[f]; i++) order[i] = i
    for (i = 2; i <= n[f]; i++) for (j = i; j > 1 && before(f, order[j], order[j - 1]); j--) { t = order[j]; order[j] = order[j - 1]; order[j - 1] = t }
    for (last = 1; last < n[f] && kept[f, order[last]] < 0.995; last++);
}
function spread(x) { return -sqrt(x < 1 ? 1 - x : 0) }
END {
    for (f = 1; f <= families; f++) if (n[f]) {
        sorted(f)
        if (part == "curves") { for (i = 1; i <= last; i++) print kept[f, order[i]] "," valid[f, order[i]]; print ""; print "" }
        if (part == "best") print f "," kept[f, best[f]] "," valid[f, best[f]] "," bars[f, best[f]] "," setting[f, best[f]]
        x0[f] = spread(kept[f, best[f]]); y[f] = y0[f] = spread(valid[f, best[f]]); rank[++ranks] = f
    } else if (part == "curves") print "NaN,NaN\n\n"
    if (part != "names") exit
    apart(y, ranks, rank, gap, ceiling, floor)
    uncross(y, ranks, rank, x0, y0, 0.045)
    for (i = 1; i <= ranks; i++) { f = rank[i]; print f, y[f], kept[f, best[f]], valid[f, best[f]], name[f], setting[f, best[f]] }
}
