name = "places"; high = 740; file = data."/places.csv"
heading = "A text that is filled in any order: filling many places at\nonce writes words twice, and less so by confidence"
load "style.gp"
X0 = 62; X1 = 400; Y0 = 114; Y1 = 384; @place
eval panel("one tale: the step in which each position is filled")
set xlabel "position in the text"; set xrange [0:132]; set yrange [0:132]; set xtics 50; set ytics 50
set label 3 "left to right" at graph 1.02,0.97 tc rgb gray; set label 4 "by confidence" at graph 1.02,0.3 tc rgb blue
plot x with lines lc rgb gray lw 2 dt 2, "<grep ^order ".file using 3:4 with points pt 7 ps 0.4 lc rgb blue
Y0 = 478; Y1 = 682; @place; set logscale x
eval panel("doubled words of a hundred, in twenty tales")
set xlabel "positions filled per step (log scale)"; set xrange [0.85:17]; set yrange [0:*]; set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16); set ytics 2
set label 3 "at random" at graph 1.0,0.94 tc rgb red; set label 4 "by confidence" at graph 1.0,0.62 tc rgb blue
plot "<grep ^tales,confidence ".file using (130.0/$3):4 with linespoints pt 7 ps 0.7 lw 2 lc rgb blue, "<grep ^tales,random ".file using (130.0/$3):4 with linespoints pt 7 ps 0.7 lw 2 lc rgb red
unset multiplot
