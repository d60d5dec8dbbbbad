load "style.gp"
set terminal svg size 1000,680 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/frontier.svg"
set title "Quality and diversity: valid stories against distinct 2-grams, over each range" noenhanced
set xlabel "distinct 2-grams (more: more varied)"; set ylabel "valid stories (share)"; set yrange [0:1.02]
names = "temp top_k top_p min_p typical top_n_sigma mirostat_v2 eta greedy"
array colors[9] = [color_temp, color_top_k, color_top_p, color_min_p, color_typical, color_top_n_sigma, color_mirostat, gray, color_greedy]
rows(n) = "< grep '^\"".n."[:\"]' ".data."/frontier.csv"
plot for [i=1:9] rows(word(names, i)) using 4:2 with linespoints pt 7 ps 0.7 lw 2 lc rgb colors[i] title word(names, i)
