# Names beside the ends of curves are moved apart: of n of them, who[1..n], the heights y[who] end at least a gap from each other, between floor and ceiling
# (0 as a floor: none); who is sorted, the highest first.
function apart(y, n, who, gap, ceiling, floor,   i, j, t, near) {
    for (i = 2; i <= n; i++) for (j = i; j > 1 && y[who[j]] > y[who[j - 1]]; j--) { t = who[j]; who[j] = who[j - 1]; who[j - 1] = t }
    for (t = 0; t < 300; t++) {
        for (i = 1; i < n; i++) {
            near = gap - (y[who[i]] - y[who[i + 1]])
            if (near > 1e-9) { y[who[i]] += near / 2; y[who[i + 1]] -= near / 2 }
        }
        if (y[who[1]] > ceiling) y[who[1]] = ceiling
        if (floor && y[who[n]] < floor) y[who[n]] = floor
    }
}
# Names keep the heights found, but two of them change places where that shortens their leaders, from x0[who], y0[who] to x1: then no leaders cross.
function length_of(k, h, x0, y0, x1) { return sqrt((x1 - x0[k]) ^ 2 + (h - y0[k]) ^ 2) }
function uncross(y, n, who, x0, y0, x1,   i, j, a, b, h, changed) {
    for (i = 1; i <= n; i++) h[i] = y[who[i]]
    do {
        changed = 0
        for (i = 1; i < n; i++) for (j = i + 1; j <= n; j++) {
            a = who[i]; b = who[j]
            if (length_of(a, h[j], x0, y0, x1) + length_of(b, h[i], x0, y0, x1) < length_of(a, h[i], x0, y0, x1) + length_of(b, h[j], x0, y0, x1) - 1e-9) { who[i] = b; who[j] = a; changed = 1 }
        }
    } while (changed)
    for (i = 1; i <= n; i++) y[who[i]] = h[i]
}
