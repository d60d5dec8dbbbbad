load "style.gp"
set terminal svg size 900,460 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/guess.svg"
set multiplot title "Speculative decoding, by length of the draft" font ",16"
unset key; set tmargin at screen 0.86; set bmargin at screen 0.17; set xlabel "tokens in a draft"; set xrange [0.5:16.5]
rows(n) = "< grep ',".n.",' ".data."/guess.csv"
set lmargin at screen 0.11; set rmargin at screen 0.47
set ylabel "share of drafted tokens accepted" offset 1.5,0; set yrange [0:1.05]
set label 1 "a draft model" at 7,0.84 tc rgb blue; set label 2 "look-up in the text" at 6,0.32 tc rgb orange
plot rows("draft") using 1:3 with linespoints pt 7 lw 2 lc rgb blue, rows("lookup") using 1:3 with linespoints pt 7 lw 2 lc rgb orange
set lmargin at screen 0.6; set rmargin at screen 0.98
set ylabel "speed, without drafts: 1"; set yrange [0:*]
unset label; set arrow 1 from 0.5,1 to 16.5,1 nohead dt 2 lc rgb "#888888"
set label 1 "filled: a larger model; open: the storyteller" at graph 0.5,1.04 center tc rgb "#444444"
plot rows("draft") using 1:6 with linespoints pt 7 lw 2 lc rgb blue, rows("draft") using 1:5 with linespoints pt 6 lw 2 lc rgb blue, \
     rows("lookup") using 1:6 with linespoints pt 7 lw 2 lc rgb orange, rows("lookup") using 1:5 with linespoints pt 6 lw 2 lc rgb orange
unset multiplot
