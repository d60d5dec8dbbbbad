load "style.gp"
set terminal svg size 900,620 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/surprise.svg"
set multiplot layout 2,3 title "Surprise along texts of 300 tokens at temperature 1.6, fifty texts for each chain; gray: no cut (draw), dashed: the target" font ",15" noenhanced
unset key; set yrange [0:4]; set ytics 1; set xrange [0:300]; set xtics 100
names = "top_p:0.9 mirostat:1 min_p:0.05 top_k:40 mirostat_v2:1 adaptive_p:0.5"
array colors[6] = [color_top_p, red, color_min_p, color_top_k, purple, black]
rows(n) = sprintf("< grep '^\"%s\",' %s/surprise.csv", n, data)
do for [i=1:6] {
  set title word(names, i) noenhanced font ",15" textcolor rgb colors[i]
  set xlabel (i > 3 ? "token" : " "); set ylabel (i % 3 == 1 ? "bits a token, mean of 20" : " ")
  plot rows("draw") using 2:($3 - $4):($3 + $4) with filledcurves fs solid 0.2 noborder lc rgb gray, rows("draw") using 2:3 with lines lw 1.5 lc rgb gray, \
       rows(word(names, i)) using 2:($3 - $4):($3 + $4) with filledcurves fs solid 0.25 noborder lc rgb colors[i], rows(word(names, i)) using 2:3 with lines lw 2.5 lc rgb colors[i], \
       1 lc rgb black lw 1.5 dt 2
}
unset multiplot
