load "style.gp"
set terminal svg size 900,460 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/load.svg"
file = data."/load.csv"
pick(policy) = sprintf("< awk -F, '$2 == \"%s\"' '%s'", policy, file)
set multiplot layout 1,2 title "One machine, three schedules" font ",16"
set xlabel "requests a second"; set logscale y; set xrange [0:46]
set ylabel "ms"
set title "95th percentile of the time to the first token" font ",14"
plot pick("static") using 4:7 with linespoints pt 7 lw 2 lc rgb orange title "static", \
     pick("continuous") using 4:7 with linespoints pt 5 lw 2 lc rgb blue title "continuous", \
     pick("chunked") using 4:7 with linespoints pt 9 lw 2 lc rgb green title "chunked"
set title "longest wait for a next token" font ",14"
plot pick("static") using 4:10 with linespoints pt 7 lw 2 lc rgb orange title "static", \
     pick("continuous") using 4:10 with linespoints pt 5 lw 2 lc rgb blue title "continuous", \
     pick("chunked") using 4:10 with linespoints pt 9 lw 2 lc rgb green title "chunked"
unset multiplot
