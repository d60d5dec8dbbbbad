load "style.gp"
set terminal svg size 900,440 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/pieces.svg"
file = data."/pieces.csv"
pick(policy) = sprintf("< awk -F, '$3 == \"%s\"' '%s'", policy, file)
set multiplot layout 1,2 title "One request a second among others, prompts of many lengths" font ",16"
set xlabel "tokens of a prompt"; set logscale xy; set xrange [100:5000]; set ylabel "ms"
set yrange [5:6000]
set title "longest wait for a next token" font ",14"
plot pick("continuous") using 1:11 with linespoints pt 5 lw 2 lc rgb blue title "whole", \
     pick("chunked") using 1:11 with linespoints pt 9 lw 2 lc rgb green title "in chunks"
set title "median time to the first token" font ",14"
plot pick("continuous") using 1:7 with linespoints pt 5 lw 2 lc rgb blue title "whole", \
     pick("chunked") using 1:7 with linespoints pt 9 lw 2 lc rgb green title "in chunks"
unset multiplot
