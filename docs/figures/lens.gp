load "style.gp"
set output out."/lens.svg"
set title "What each layer would say next: the probability of its five likeliest tokens"
set style data histograms; set style histogram rowstacked; set style fill solid 0.85 border rgb "white"; set boxwidth 0.6
set xtics ("embedding" 0, "layer 0" 1, "layer 1" 2, "layer 2" 3); set xrange [-0.6:3.6]; set yrange [0:1.05]; set ylabel "probability"
array tint[5] = [blue, sky, green, orange, red]
rank(r) = sprintf("< awk -F, '$2 == %d' %s/lens.csv", r, data)
plot for [r=0:4] rank(r) using 4 lc rgb tint[r+1] title sprintf("choice %d", r + 1)
