load "style.gp"
set terminal svg size 900,520 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/latency.svg"
file = data."/latency.csv"
set title "What a fuller batch gains, and what it costs" font ",16"
set xlabel "tokens per second, all together"; set ylabel "ms between two tokens of a sequence"
set xrange [0:9000]; set yrange [0:25]
plot file using 6:9 with linespoints pt 9 lw 2 lc rgb green title "median", \
     file using 6:10 with linespoints pt 7 lw 2 lc rgb orange title "95th percentile", \
     file using 6:($9 - 1.1):1 with labels font ",12" tc rgb "#222222" notitle
