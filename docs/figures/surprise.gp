load "style.gp"
set output out."/surprise.svg"
set title "Surprise along texts of 300 tokens at temperature 1.6: fifty texts for each chain" noenhanced
set xlabel "token"; set ylabel "bits a token, mean of 20 tokens"; set yrange [0:*]; set xrange [0:300]
names = "draw top_p:0.9 top_k:40 mirostat:1 mirostat_v2:1 min_p:0.05 adaptive_p:0.5"
array colors[7] = [gray, color_top_p, color_top_k, color_mirostat, purple, color_min_p, black]
rows(n) = sprintf("< grep '^\"%s\",' %s/surprise.csv", n, data)
plot for [i=1:7] rows(word(names, i)) using 2:($3 - $4):($3 + $4) with filledcurves fs solid 0.15 noborder lc rgb colors[i] notitle, \
     for [i=1:7] rows(word(names, i)) using 2:3 with lines lw 2 lc rgb colors[i] title word(names, i), 1 lc rgb black lw 1.5 dt 2 title "target"
