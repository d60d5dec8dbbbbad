name = "particles"; high = 650; file = data."/particles.csv"
heading = "Eight particles give three sentences their odds back;\nan ending that is asked for too late needs many more"
load "style.gp"
pick(what) = sprintf("< grep '^%s,' %s", what, file)
shares = sprintf("< awk -F, '/^what/ { print \"n,texts,true,true_error\" } /^true/ { print $2 \",\" $3 \",\" $4 \",\" $5 }' %s | awk -F, -f wilson.awk -f shares.awk", file)
set logscale x; set xrange [0.85:38]; set xtics ("1 (mask)" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32); X0 = 76; X1 = 490
Y0 = 96; Y1 = 300; @place
eval panel("distance from a third each, nats")
set yrange [0:0.25]; set ytics 0.1; set xlabel "particles, or texts of --aligned (log scale)"
set label 4 "--particles" at 2.25,0.06 left tc rgb blue; set label 5 "--aligned" at 1.05,0.02 left tc rgb green
plot pick("aligned") using ($2 * 1.05):4 with lines lw 2 lc rgb green, pick("aligned") using ($2 * 1.05):4:($4 > 1.96 * $5 ? $4 - 1.96 * $5 : 0):($4 + 1.96 * $5) with yerrorbars pt 7 ps 0.6 lw 2 lc rgb green, \
     pick("home") using 2:4 with lines lw 2 lc rgb blue, pick("home") using 2:4:($4 > 1.96 * $5 ? $4 - 1.96 * $5 : 0):($4 + 1.96 * $5) with yerrorbars pt 7 ps 0.6 lw 2 lc rgb blue
Y0 = 394; Y1 = 590; @place
unset label 4; unset label 5; set xlabel "particles (log scale)"
eval panel("true stories that must end with “The end.”, with 95 % intervals")
set yrange [0:0.85]; set ytics @percent; set label 3 "without a constraint" at graph 0.99,0.83 right tc rgb gray
plot 0.65 with lines lw 1.5 dt 2 lc rgb gray, shares using 2:4 with lines lw 2 lc rgb red, shares using 2:4:5:6 with yerrorbars pt 7 ps 0.6 lw 2 lc rgb red
unset multiplot
