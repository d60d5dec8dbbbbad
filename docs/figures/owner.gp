load "style.gp"
set terminal svg size 1000,860 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/owner.svg"
set style fill solid 0.85 noborder; set boxwidth 0.7; unset key; set grid y; unset grid
set yrange [0:1.12]; set ytics 0,0.5,1; set xrange [-0.7:23.7]; set lmargin 6
file = "< grep '^[0-9]' ".data."/owner.csv"
head(l, h) = sprintf("%d.%d", l, h)
set multiplot layout 4,1 title "Whose hat? Every head of the storyteller, over 300 stories" font ",16"
set title "1  attention from the full stop of the owner's first sentence back to the name" font ",14"
plot file using 0:7:xtic(head($1, $2)) with boxes lc rgb sky, "" using 0:($7 > 0.8 ? $7 + 0.07 : NaN):(sprintf("%.2f", $7)) with labels font ",12"
set title "2  attention from {/:Italic said}, where the name is wanted, to that full stop"
plot file using 0:6:xtic(head($1, $2)) with boxes lc rgb blue, "" using 0:($6 > 0.5 ? $6 + 0.07 : NaN):(sprintf("%.2f", $6)) with labels font ",12"
set title "3  probability of the owner's name when this head is silent"
plot file using 0:8:xtic(head($1, $2)) with boxes lc rgb orange, "" using 0:($8 < 0.9 ? $8 + 0.07 : NaN):(sprintf("%.2f", $8)) with labels font ",12"
set title "4  the same when all other heads of its layer are silent"
plot file using 0:11:xtic(head($1, $2)) with boxes lc rgb green, "" using 0:($11 > 0.5 && $1 == 2 ? $11 + 0.07 : NaN):(sprintf("%.2f", $11)) with labels font ",12"
unset multiplot
