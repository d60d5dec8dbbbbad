name = "votes"; high = 400; file = data."/votes.csv"
heading = "A vote removes the noise of hot samples and\nno more: it ends where greedy is"
load "style.gp"
X0 = 76; X1 = 490; set logscale x; set xrange [0.85:38]; set xtics (1, 3, 5, 9, 17, 33); set xlabel "samples of a question, at temperature 1.6 (log scale)"
array ways[3] = ["vote", "likeliest", "early"]
array tint[3] = [blue, gray, red]
array aside[3] = [0.98, 1.02, 1] # so that no interval hides another
pick(k) = sprintf("< grep '^%s[, ]' %s", ways[k], file)
Y0 = 96; Y1 = 336; @place
eval panel("right answers, with 95 % intervals"); set yrange [0.3:0.85]; set ytics ("40 %%" 0.4, "60 %%" 0.6, "80 %%" 0.8); @cut_y
stats "< grep '^greedy,' ".file using 5 nooutput name "GREEDY"
set label 3 "greedy" at graph 0.01,first GREEDY_max + 0.03 left tc rgb ink font ",14"
set label 4 "likeliest\nsample" at 1.75,0.645 right tc rgb gray font ",14"; set label 5 "vote" at 3.4,0.56 left tc rgb blue font ",14"
set label 6 "vote that ends early" at 10,0.58 left tc rgb red font ",14"
plot GREEDY_max with lines lw 1.5 dt 2 lc rgb ink, \
     for [k=1:3] pick(k) using ($4 * aside[k]):5 with lines lw 1.5 lc rgb tint[k], \
     for [k=1:3] pick(k) using ($4 * aside[k]):5:(wilson($5, $3, -1)):(wilson($5, $3, 1)) with yerrorbars pt 7 ps 0.6 lw 2 lc rgb tint[k]
unset multiplot
