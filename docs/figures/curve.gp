load "style.gp"
set output out."/curve.svg"
set title "A training run of the storyteller, and the floor it cannot go below"
set xlabel "step"; set ylabel "loss in nats per token"; set logscale y; set yrange [0.2:10]
plot data."/curve.csv" every ::1 using 1:3 with lines lc rgb "#cccccc" title "training", \
     "" every ::1 using 1:7 with linespoints lw 2 pt 7 ps 0.6 lc rgb blue title "held-out", \
     "" every ::1 using 1:8 with lines lw 2 dt 2 lc rgb red title "entropy of the language"
