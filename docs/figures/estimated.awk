# A row of spread.csv from groups of texts, each with what strata says about them: way and n are given.  A text without replacement counts
# as much as it weighs; the weights are divided by their sum.
/^\[text / { split($0, part, "weight "); weight[++weights] = part[2] + 0; next }
/^\[/ || /^$/ || /^<\|endoftext\|>$/ { next }
/^<\|end\|>$/ {
    weighed = all = 0
    for (i = 1; i <= texts; i++) { w = weights ? weight[i] : 1; all += w; weighed += w * he[i] }
    sum += weighed / all; squares += (weighed / all) ^ 2; groups++
    for (word in words) different_words++
    for (animal in animals) different_animals++
    drawn += texts; texts = weights = 0
    split("", words); split("", animals)
    next
}
/^Once upon a time there was a/ { he[++texts] = ($0 ~ /\. (He|She) /); words[$8]; animals[$9] }
END { printf "%s,%s,%d,%.4f,%.4f,%.4f,%.4f\n", way, n, groups, sum / groups, sqrt(squares / groups - (sum / groups) ^ 2), different_words / drawn, different_animals / drawn }
