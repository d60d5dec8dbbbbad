# A row of choosing.csv from stories with lines <|endoftext|> after them: way, n, stories, valid and tokens are given.
/^<\|endoftext\|>$/ { next }
{
    for (i = 1; i < NF; i++) { pairs++; if (!(($i, $(i + 1)) in seen)) { seen[$i, $(i + 1)]; different++ } }
}
/had always lived/ { home[1]++; next }
/ had a small house/ { home[2]++; next }
/(His|Her) home was/ { home[3]++; next }
/All year round/ { home[4]++; next }
/Every morning/ { home[5]++; next }
/^Once upon a time.*\. (He|She) lived/ { home[6]++ }
END {
    for (i = 1; i <= 6; i++) all += home[i] + 0.5 # a half each, so that no share is 0
    for (i = 1; i <= 6; i++) { q = (home[i] + 0.5) / all; kl += log(1 / 6 / q) / 6; spread += 1 / 36 / q }
    p = valid / stories
    printf "%s,%s,%d,%.0f,%.4f,%.4f,%.4f,%.4f,%.4f\n", way, n, stories, tokens / stories, p, sqrt(p * (1 - p) / stories), different / pairs, kl, sqrt((spread - 1) / all)
}
