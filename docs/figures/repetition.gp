load "style.gp"
set output out."/repetition.svg"
set title "A small model led astray: forty openings that are no stories (the draft model)" noenhanced
set xlabel "position (tokens)"; set ylabel "share of the last 4-grams that stood before"; set yrange [0:0.7]; set xrange [40:120]
names = "greedy penalties:rep=1.1 penalties:rep=1.3 dry:0.8 top_p:0.9 no_repeat:4"
array colors[6] = [color_greedy, orange, red, green, color_top_p, purple]
rows(n) = sprintf("< grep '^\"%s\",' %s/repetition.csv", n, data)
plot for [i=1:6] rows(word(names, i)) using 2:($3 - $4):($3 + $4) with filledcurves fs solid 0.12 noborder lc rgb colors[i] notitle, \
     for [i=1:6] rows(word(names, i)) using 2:3 with lines lw 2 lc rgb colors[i] title word(names, i).(i > 1 && i < 5 || i == 6 ? ", greedy" : "")
