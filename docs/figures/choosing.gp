name = "choosing"; high = 846; file = data."/choosing.csv"
heading = "Power 2 removes the last slips; the likeliest of\nsixteen is nearly as true, at unchanged odds"
load "style.gp"
X0 = 76; X1 = 490; set logscale x; set xrange [100:3200]; set xtics ("125" 125, "250" 250, "500" 500, "1000" 1000, "2000" 2000)
array ways[4] = ["temperature", "likeliest of n", "minimum Bayes risk", "power 2"]
array tint[4] = [gray, blue, red, green]
array aside[4] = [1, 1, 1.04, 1] # so that no interval hides another
pick(k) = sprintf("< grep '^%s,' %s", ways[k], file)
Y0 = 96; Y1 = 290; @place
eval panel("true stories, with 95 % intervals"); set yrange [0.5:1]; set ytics ("50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); @cut_y
set label 3 "temperature\n1 to 0.5" at 160,0.66 left tc rgb gray font ",14"; set label 4 "power 2" at 300,0.925 left tc rgb green font ",14"
set label 5 "likeliest of n" at 720,0.84 left tc rgb blue font ",14"; set label 6 "minimum Bayes risk" at 640,0.53 left tc rgb red font ",14"
plot for [k=1:4] pick(k) using ($4 * aside[k]):5 with lines lw 1.5 lc rgb tint[k], for [k=1:4] pick(k) using ($4 * aside[k]):5:(wilson($5, $3, -1)):(wilson($5, $3, 1)) with yerrorbars pt 7 ps 0.6 lw 2 lc rgb tint[k]
do for [n=3:6] { unset label n }
Y0 = 354; Y1 = 508; @place
eval panel("different word pairs / word pairs of all stories"); set yrange [0:0.5]; set ytics 0.25; @uncut
plot for [k=1:4] pick(k) using ($4 * aside[k]):7 with linespoints pt 7 ps 0.6 lw 1.5 lc rgb tint[k]
Y0 = 572; Y1 = 786; @place
eval panel("nats from the language: six ways to tell the home"); set yrange [0:*]; set ytics auto; set xlabel "tokens drawn for a story (log scale)"
plot for [k=1:4] pick(k) using ($4 * aside[k]):8 with lines lw 1.5 lc rgb tint[k], for [k=1:4] pick(k) using ($4 * aside[k]):8:($8 > 1.96 * $9 ? $8 - 1.96 * $9 : 0):($8 + 1.96 * $9) with yerrorbars pt 7 ps 0.6 lw 2 lc rgb tint[k]
unset multiplot
