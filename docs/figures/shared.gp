load "style.gp"
set terminal svg size 900,440 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/shared.svg"
file = data."/shared.csv"
pick(how) = sprintf("< awk -F, '$2 == \"%s\"' '%s'", how, file)
set multiplot layout 1,2 title "Fifteen prompts a second with a shared prefix" font ",16"
set xlabel "tokens of the shared prefix"; set xrange [-10:400]
set title "median time to the first token (ms)" font ",14"
set yrange [0:*]
plot pick("each") using 1:8 with linespoints pt 7 lw 2 lc rgb orange title "read by each", \
     pick("once") using 1:8 with linespoints pt 9 lw 2 lc rgb green title "read once"
set title "pages in use, maximum" font ",14"
plot pick("each") using 1:16 with linespoints pt 7 lw 2 lc rgb orange title "a copy each", \
     pick("once") using 1:16 with linespoints pt 9 lw 2 lc rgb green title "kept once"
unset multiplot
