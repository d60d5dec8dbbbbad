name = "guess"; high = 650; file = data."/guess.csv"
heading = "Most tokens of a draft model are accepted: that\nspeeds up a larger model, but not this storyteller"
load "style.gp"
rows(n) = "< grep ',".n.",' ".file
set xrange [0:17]; set xtics (1, 2, 4, 8, 16); X0 = 62; X1 = 378
Y0 = 96; Y1 = 302; @place
eval panel("tokens of the text for each pass of the model"); set yrange [0:11]; set ytics (1, 2, 4, 6, 8, 10)
name_at(n, y, text, hue) = sprintf("set label %d '%s' at graph 1.02,%s left font ',14' tc rgb '%s'", n, text, y, hue)
eval name_at(3, "first 10", "draft model", blue); eval name_at(4, "first 4.5", "without block 1", green)
eval name_at(5, "first 3.2", "dotted: leaves", green); eval name_at(6, "first 1.7", "suffix, look-up", orange); eval name_at(7, "first 0.5", "Jacobi", gray)
set xlabel " "
plot rows("draft") using 1:4 with linespoints pt 7 ps 0.7 lw 2 lc rgb blue, rows("skip") using 1:4 with linespoints pt 9 ps 0.8 lw 2 lc rgb green, \
     rows("leaves") using 1:4 with linespoints pt 8 ps 0.8 lw 2 dt 3 lc rgb green, rows("suffix") using 1:4 with linespoints pt 5 ps 0.7 lw 2 lc rgb orange, \
     rows("lookup") using 1:4 with linespoints pt 4 ps 0.7 lw 1 lc rgb orange, rows("jacobi") using 1:4 with linespoints pt 6 ps 0.7 lw 1 lc rgb gray
do for [n=3:7] { unset label n }
Y0 = 372; Y1 = 590; @place
eval panel("speed (without drafts: 1)"); set yrange [0:*]; set ytics auto; set ytics 1; set xlabel "tokens in a draft"
set arrow 1 from 0,1 to 17,1 nohead dt 2 lc rgb axis
eval name_at(3, "graph 0.95", "solid:", ink); eval name_at(4, "graph 0.86", "larger model", ink)
eval name_at(5, "graph 0.73", "dashed:", ink); eval name_at(6, "graph 0.64", "storyteller", ink)
plot rows("draft") using 1:6 with linespoints pt 7 ps 0.7 lw 2 lc rgb blue, rows("draft") using 1:5 with linespoints pt 7 ps 0.7 lw 2 dt 2 lc rgb blue, \
     rows("skip") using 1:6 with linespoints pt 9 ps 0.8 lw 2 lc rgb green, \
     rows("suffix") using 1:6 with linespoints pt 5 ps 0.7 lw 2 lc rgb orange, rows("suffix") using 1:5 with linespoints pt 5 ps 0.7 lw 2 dt 2 lc rgb orange
unset multiplot
