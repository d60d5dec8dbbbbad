load "style.gp"
set terminal svg size 900,460 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/fair.svg"
file = data."/fair.csv"
pick(what, how) = sprintf("< awk -F, '$1 == \"%s\" && $3 == \"%s\" && $4 != \"heavy\"' '%s'", what, how, file)
set multiplot layout 1,2 title "Fifteen requests a second, and one heavy user" font ",16"
set ylabel "ms"; set logscale y
set xlabel "tokens of the heavy user's prompts, one a second"; set xrange [0:2100]; set yrange [10:3000]
set title "the others' longest wait for a next token" font ",14"
plot pick("prompt", "whole") using 2:13 with linespoints pt 5 lw 2 lc rgb blue title "whole", \
     pick("prompt", "pieces") using 2:13 with linespoints pt 9 lw 2 lc rgb green title "in chunks"
set key inside left top vertical
set xlabel "requests per second of the heavy user"; set xrange [-2:62]; set yrange [10:1e6]
set title "the others' median time to the first token" font ",14"
plot pick("many", "fcfs") using 2:9 with linespoints pt 7 lw 2 lc rgb orange title "first come, first served", \
     pick("many", "priorityurgent1ageing2") using 2:9 with linespoints pt 5 lw 2 lc rgb purple title "priority, ageing", \
     pick("many", "turns") using 2:9 with linespoints pt 9 lw 2 lc rgb green title "turns", \
     pick("many", "priorityurgent1") using 2:9 with linespoints pt 1 lw 2 lc rgb blue title "priority"
unset multiplot
