name = "fair"; high = 680; file = data."/fair.csv"
heading = "Reading prompts in chunks and taking turns keep\none heavy user from making the others wait"
load "style.gp"
pick(what, how) = sprintf("< awk -F, '$1 == \"%s\" && $3 == \"%s\" && $4 != \"heavy\"' '%s'", what, how, file)
set logscale y; X0 = 80; X1 = 386
Y0 = 114; Y1 = 310; @place
set xlabel "tokens of the heavy user's prompts, one a second"; set xrange [0:2100]; set yrange [10:3000]; set xtics 500
set ytics ("10 ms" 10, "100 ms" 100, "1 s" 1000)
eval panel("the others' longest wait for a next token (log scale)")
set label 3 "read whole" at graph 1.02,0.84 tc rgb red; set label 4 "in chunks" at graph 1.02,0.33 tc rgb green
plot pick("prompt", "whole") using 2:13 with linespoints pt 7 ps 0.7 lw 2 lc rgb red, pick("prompt", "pieces") using 2:13 with linespoints pt 7 ps 0.7 lw 2 lc rgb green
Y0 = 426; Y1 = 622; @place
set xlabel "requests a second of the heavy user"; set xrange [-2:62]; set yrange [10:30000]; set xtics 20; set ytics add ("10 s" 10000)
eval panel("the others' median time to the first token (log scale)")
set label 3 "order of arrival" at graph 1.02,0.92 tc rgb orange; set label 4 "priority, ageing" at graph 1.02,0.82 tc rgb purple
set label 5 "turns" at graph 1.02,0.225 tc rgb green; set label 6 "priority" at graph 1.02,0.12 tc rgb blue
plot pick("many", "fcfs") using 2:9 with linespoints pt 7 ps 0.7 lw 2 lc rgb orange, pick("many", "priorityurgent1ageing2") using 2:9 with linespoints pt 5 ps 0.7 lw 2 dt 2 lc rgb purple, \
     pick("many", "turns") using 2:9 with linespoints pt 9 ps 0.8 lw 2 lc rgb green, pick("many", "priorityurgent1") using 2:9 with linespoints pt 7 ps 0.7 lw 2 lc rgb blue
unset multiplot
