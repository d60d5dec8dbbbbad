name = "curve"; high = 440; file = data."/curve.csv"
heading = "The loss falls to within 3 % of its floor, most\nof it in the first two million tokens"
load "style.gp"
X0 = 62; X1 = 500; Y0 = 102; Y1 = 384; @place; eval panel("loss, nats a token (log scale)")
set xlabel "million tokens read"; set logscale y; set yrange [0.18:9]; set xrange [0:37]
set ytics (0.2, 0.3, 0.5, 1, 2, 4, 8); set xtics 10
set label 3 "training" at 22,0.47 tc rgb gray; set label 4 "held-out" at 6,0.62 tc rgb blue; set label 5 "floor: entropy of the language" at 12,0.245 tc rgb red
plot file skip 1 using ($1 / 1e6):2 with lines lc rgb pale, "" skip 1 using ($1 / 1e6):3 with linespoints lw 2 pt 7 ps 0.5 lc rgb blue, \
     "" skip 1 using ($1 / 1e6):4 with lines lw 2 dt 2 lc rgb red
unset multiplot
