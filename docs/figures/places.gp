name = "places"; high = 740; file = data."/places.csv"
heading = "Filling more positions per step doubles more words;\nfilling by confidence doubles fewer than at random"
load "style.gp"
X0 = 62; X1 = 400; Y0 = 114; Y1 = 384; @place
eval panel("one tale: the step in which each position is filled")
set xlabel "position in the text"; set xrange [0:132]; set yrange [0:132]; set xtics 50; set ytics 50
set label 3 "left to right" at graph 1.02,0.985 tc rgb gray; set label 4 "by confidence" at graph 1.02,0.73 tc rgb blue
plot x with lines lc rgb gray lw 2 dt 2, "<grep ^order ".file using 3:4 with points pt 7 ps 0.4 lc rgb blue
Y0 = 478; Y1 = 682; @place; set logscale x
eval panel("doubled words per hundred, with 95 % intervals")
set xlabel "positions filled per step (log scale)"; set xrange [0.85:17]; set yrange [0:7]; set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16); set ytics 2
set label 3 "at random" at graph 1.02,0.836 tc rgb red; set label 4 "by confidence" at graph 1.02,0.656 tc rgb blue
tales(rule) = sprintf("< awk -F, -v rule=%s -f wilson.awk -f doubled.awk '%s'", rule, file)
plot tales("confidence") using 1:2 with lines lw 2 lc rgb blue, tales("confidence") using 1:2:3:4 with yerrorbars pt 7 ps 0.6 lw 1.5 lc rgb blue, \
     tales("random") using ($1 * 1.03):2 with lines lw 2 dt 2 lc rgb red, tales("random") using ($1 * 1.03):2:3:4 with yerrorbars pt 5 ps 0.6 lw 1.5 lc rgb red
unset multiplot
