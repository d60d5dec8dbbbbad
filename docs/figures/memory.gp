load "style.gp"
set terminal svg size 900,440 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/memory.svg"
file = data."/memory.csv"
set multiplot layout 1,2 title "Sixteen slots, sequences of about 600 tokens: how much memory?" font ",16"
set xlabel "pages of 64 tokens"; set xrange [40:210]
set title "preemptions" font ",14"
set yrange [0:*]
plot file using 1:14 with linespoints pt 7 lw 2 lc rgb red notitle
set title "tokens per second" font ",14"
set yrange [0:7500]
plot file using 1:6 with linespoints pt 5 lw 2 lc rgb blue notitle
unset multiplot
