name = "lens"; high = 560; file = data."/lens.csv"
heading = "The first layer still repeats the last word; after\nthe last one several adjectives are equally likely"
load "style.gp"
set style data histograms; set style histogram rowstacked; set style fill solid 0.25 border rgb ground; set boxwidth 0.92
X0 = 62; X1 = 508; Y0 = 102; Y1 = 510; @place; eval panel("probability after “Once upon a time there was a”")
set xtics ("embedding" 0, "layer 0" 1, "layer 1" 2, "layer 2" 3) scale 0; set xrange [-0.5:3.5]; set yrange [0:1.02]; set ytics @percent
rank(r) = sprintf("< awk -F, '$2 == %d' %s", r, file)
# layer, middle of the piece, its word
words = sprintf("< awk -F, '$2 ~ /^[0-4]$/ { if ($4 > 0.03) printf \"%%d,%%.5f,%%s\\n\", $1 + 1, sum[$1] + $4 / 2, $5; sum[$1] += $4 }' %s", file)
plot for [r=0:4] rank(r) using 4 lc rgb blue notitle, words using 1:2:3 with labels center noenhanced font ",14" tc rgb ink
unset multiplot
