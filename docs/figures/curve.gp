load "style.gp"
set output out."/curve.svg"
set title "The storyteller's two stages, each with the floor of its world"
set xlabel "million tokens read"; set ylabel "loss in nats per token"; set logscale y; set yrange [0.27:9]; set xrange [0:39]
set ytics (0.3, 0.4, 0.5, 0.7, 1, 2, 4, 8)
set arrow from 30.48, graph 0 to 30.48, graph 1 nohead lc rgb "#bbbbbb"
set label "stage 1 (first.csv), an earlier world" at 29.8, 6 right
set label "stage 2" at 31, 6
rows(stage) = sprintf("< grep '^%d,' %s/curve.csv", stage, data)
plot for [s=1:2] rows(s) using ($2 / 1e6):3 with lines lc rgb "#cccccc" title (s == 1 ? "training" : ""), \
     for [s=1:2] rows(s) using ($2 / 1e6):4 with linespoints lw 2 pt 7 ps 0.6 lc rgb blue title (s == 1 ? "held-out" : ""), \
     for [s=1:2] rows(s) using ($2 / 1e6):5 with lines lw 2 dt 2 lc rgb red title (s == 1 ? "floor: entropy of the language" : "")
