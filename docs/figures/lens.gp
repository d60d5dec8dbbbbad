load "style.gp"
set output out."/lens.svg"
set title "What each layer would say next: its five likeliest tokens, and the words of those above 4 %"
set style data histograms; set style histogram rowstacked; set style fill solid 0.6 border rgb "white"; set boxwidth 0.6
set xtics ("embedding" 0, "layer 0" 1, "layer 1" 2, "layer 2" 3); set xrange [-0.6:3.6]; set yrange [0:1.05]; set ylabel "probability"; unset key
array tint[5] = [blue, sky, green, orange, red]
rank(r) = sprintf("< awk -F, '$2 == %d' %s/lens.csv", r, data)
# layer, middle of the piece, its word
words = sprintf("< awk -F, '$2 ~ /^[0-4]$/ { if ($4 > 0.04) printf \"%%d,%%.5f,%%s\\n\", $1 + 1, sum[$1] + $4 / 2, $5; sum[$1] += $4 }' %s/lens.csv", data)
plot for [r=0:4] rank(r) using 4 lc rgb tint[r+1] notitle, words using 1:2:3 with labels center noenhanced font ",13"
