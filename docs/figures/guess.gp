name = "guess"; high = 680; file = data."/guess.csv"
heading = "Most tokens of a draft model are accepted: that\nwould speed up a larger model, not this storyteller"
load "style.gp"
rows(n) = "< grep ',".n.",' ".file
set xrange [0:17]; set xtics (1, 4, 8, 12, 16); X0 = 62; X1 = 370
Y0 = 114; Y1 = 310; @place
eval panel("drafted tokens that are accepted"); set yrange [0:1]; set ytics @percent
set label 3 "a draft model" at graph 1.02,0.57 tc rgb blue; set label 4 "look-up in the text" at graph 1.02,0.05 tc rgb orange; set xlabel " "
plot rows("draft") using 1:3 with linespoints pt 7 ps 0.7 lw 2 lc rgb blue, rows("lookup") using 1:3 with linespoints pt 5 ps 0.7 lw 2 lc rgb orange
Y0 = 404; Y1 = 620; @place
eval panel("speed (without drafts: 1)"); set yrange [0:*]; set ytics auto; set ytics 1; set xlabel "tokens in a draft"
set arrow 1 from 0,1 to 17,1 nohead dt 2 lc rgb axis
set label 3 "solid: larger model" at graph 1.02,0.5 tc rgb ink font ",14"; set label 4 "dashed: storyteller" at graph 1.02,0.4 tc rgb ink font ",14"
plot rows("draft") using 1:6 with linespoints pt 7 ps 0.7 lw 2 lc rgb blue, rows("draft") using 1:5 with linespoints pt 7 ps 0.7 lw 2 dt 2 lc rgb blue, \
     rows("lookup") using 1:6 with linespoints pt 5 ps 0.7 lw 2 lc rgb orange, rows("lookup") using 1:5 with linespoints pt 5 ps 0.7 lw 2 dt 2 lc rgb orange
unset multiplot
