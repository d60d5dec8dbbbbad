load "style.gp"
set terminal svg size 900,440 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/waste.svg"
file = data."/waste.csv"
pick(policy) = sprintf("< awk -F, '$2 == \"%s\"' '%s'", policy, file)
set multiplot layout 1,2 title "Sixteen slots, answers of 150 to 450 tokens" font ",16"
set xlabel "requests a second"; set xrange [0:10.5]
set title "tokens per second" font ",14"
set yrange [0:*]
plot pick("static") using 4:5 with linespoints pt 7 lw 2 lc rgb orange title "static", \
     pick("continuous") using 4:5 with linespoints pt 5 lw 2 lc rgb blue title "continuous"
set title "median time to the first token (ms)" font ",14"
set logscale y; set yrange [1:200000]
plot pick("static") using 4:6 with linespoints pt 7 lw 2 lc rgb orange title "static", \
     pick("continuous") using 4:6 with linespoints pt 5 lw 2 lc rgb blue title "continuous"
unset multiplot
