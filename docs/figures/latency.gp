name = "latency"; high = 480; file = data."/latency.csv"
heading = "A fuller batch gives more tokens a second, and each\nsequence waits longer for its next"
load "style.gp"
X0 = 62; X1 = 410; Y0 = 102; Y1 = 424; @place; eval panel("ms between two tokens of a sequence")
set xlabel "tokens per second, all together"
set xrange [0:9000]; set yrange [0:25]; set xtics 2000
set label 3 "95 % of the\ngaps are\nshorter" at graph 1.02,0.95 tc rgb red; set label 4 "median;\nnumbers:\nslots" at graph 1.02,0.7 tc rgb blue
plot file using 6:9 with linespoints pt 7 ps 0.7 lw 2 lc rgb blue, file using 6:10 with linespoints pt 5 ps 0.7 lw 2 lc rgb red, \
     file using 6:9:1 with labels left offset 0.6,-0.6 font ",14" tc rgb blue
unset multiplot
