name = "spread"; high = 620; file = data."/spread.csv"
heading = "Evenly spaced codes vary the first choice and not\nthose after it; estimates gain nothing"
load "style.gp"
X0 = 76; X1 = 490; set logscale x; set xrange [1.8:18]; set xtics (2, 4, 8, 16)
array ways[3] = ["samples", "codes", "without replacement"]
array aside[3] = [0.97, 1, 1.03] # so that no interval hides another
array tint[3] = [gray, blue, red]
pick(k) = sprintf("< grep '^%s,' %s", ways[k], file)
Y0 = 96; Y1 = 300; @place
eval panel("standard deviation of an estimated share")
set yrange [0:0.42]; set ytics 0.1
set key at graph 1,0.95 right samplen 1 tc rgb ink font ",14"
bar(x, n, side) = x + side * 1.96 * x / sqrt(2 * (n - 1))
plot for [k=1:3] pick(k) using ($2 * aside[k]):5 with lines lw 1.5 lc rgb tint[k] title ways[k], for [k=1:3] pick(k) using ($2 * aside[k]):5:(bar($5, $3, -1)):(bar($5, $3, 1)) with yerrorbars pt 7 ps 0.6 lw 2 lc rgb tint[k] notitle
unset key
Y0 = 370; Y1 = 556; @place
eval panel("first words (lines) and animals (dashes) that differ")
set yrange [0.5:1.02]; set ytics ("50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); @cut_y; set xlabel "texts (log scale)"
plot for [k=1:3] pick(k) using ($2 * aside[k]):6 with linespoints pt 7 ps 0.6 lw 1.5 lc rgb tint[k], for [k=1:3] pick(k) using ($2 * aside[k]):7 with linespoints dt 2 pt 6 ps 0.6 lw 1.5 lc rgb tint[k]
unset multiplot
