load "style.gp"
set output out."/curve.svg"
set title "The storyteller's loss, and the entropy of its language"
set xlabel "million tokens read"; set ylabel "loss in nats per token"; set logscale y; set yrange [0.27:9]; set xrange [0:37]
set ytics (0.3, 0.4, 0.5, 0.7, 1, 2, 4, 8)
plot data."/curve.csv" skip 1 using ($1 / 1e6):2 with lines lc rgb "#cccccc" title "training", \
     "" skip 1 using ($1 / 1e6):3 with linespoints lw 2 pt 7 ps 0.6 lc rgb blue title "held-out", \
     "" skip 1 using ($1 / 1e6):4 with lines lw 2 dt 2 lc rgb red title "floor: entropy of the language"
