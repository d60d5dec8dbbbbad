# Which word follows which in the pages of this site: awk -v folder=F -v contexts=N -f words.awk PAGE...; odd pages teach, even pages ask.
# For the N most frequent words of the odd pages: F/WORD.p, the probability of each word of the vocabulary after it, one a line, and F/WORD.n, how
# often it followed in the even pages.  p is the share of the pairs, with the weight of twenty pairs for the word's share of all words (Dirichlet).
FNR == 1 { page++; before = "" }
/^```/ { code = !code }
code || /^{{/ || /^\|/ || /^\$/ { before = ""; next }
{
    n = split(tolower($0), part, /[^a-z]+/)
    for (i = 1; i <= n; i++) {
        word = part[i]
        if (word == "") continue
        if (page % 2) { if (!(word in count)) list[++words] = word; count[word]++; all++; if (before != "") { pair[before, word]++; of[before]++ } }
        else if (before != "") asked[before, word]++
        before = word
    }
}
END {
    for (c = 1; c <= contexts; c++) {
        most = ""
        for (w in of) if (!(w in used) && (most == "" || of[w] > of[most] || (of[w] == of[most] && w < most))) most = w
        used[most]
        for (i = 1; i <= words; i++) {
            printf "%.9g\n", (pair[most, list[i]] + 20 * count[list[i]] / all) / (of[most] + 20) > (folder "/" most ".p")
            print asked[most, list[i]] + 0 > (folder "/" most ".n")
        }
        close(folder "/" most ".p"); close(folder "/" most ".n")
    }
}
