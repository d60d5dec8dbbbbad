name = "memory"; high = 672; file = data."/memory.csv"
heading = "With too few pages sequences preempt each other;\nhere that costs up to 13 % of the throughput"
load "style.gp"
X0 = 80; X1 = 496; set xrange [0:210]; set xtics 50
Y0 = 114; Y1 = 326; @place; eval panel("preemptions"); set yrange [0:*]; set ytics 300; set xlabel " "
plot file using 1:14 with linespoints pt 7 ps 0.7 lw 2 lc rgb red
Y0 = 402; Y1 = 614; @place; eval panel("tokens per second"); set yrange [0:7500]; set ytics 2500; set xlabel "pages of 64 tokens"
plot file using 1:6 with linespoints pt 7 ps 0.7 lw 2 lc rgb blue
unset multiplot
