name = "owner"; high = 940
heading = "The owner's name goes to a full stop in the first layer,\nand from there to where it is wanted in the last"
load "style.gp"
set style fill solid 0.85 noborder; set boxwidth 0.7; unset grid
set yrange [0:1.24]; set ytics ("0" 0, "0.5" 0.5, "1" 1); set xrange [-0.9:25.9]; X0 = 46; X1 = 508
file = "< grep '^[0-9]' ".data."/owner.csv"
at(l, h) = 9 * l + h # a gap between layers
set label 10 "layer 0" at 3.5,-0.4 center font ",14" tc rgb ink; set label 11 "layer 1" at 12.5,-0.4 center font ",14" tc rgb ink; set label 12 "layer 2" at 21.5,-0.4 center font ",14" tc rgb ink; set label 13 "head" at graph -0.02,-0.19 right font ",14" tc rgb ink
set xtics () scale 0; do for [l=0:2] { do for [h=0:7] { set xtics add (sprintf("%d", h) at(l, h)) } }
array above[4] = ["attention from the full stop of the owner's sentence to the name", "attention from “said”, where the name is wanted, to that full stop", \
  "probability of the name when this head is silent", "probability of the name when only this head of its layer speaks"]
array c[4] = [7, 6, 8, 11]; array tint[4] = [sky, blue, orange, green]
do for [p=1:4] {
  Y0 = 116 + (p - 1) * 208; Y1 = Y0 + 122; @place; eval panel(sprintf("%d  ", p).above[p])
  if (p == 4) { set label 4 "not drawn: even without\nthis layer it is 1.00" at 12.5,0.62 center font ",14" tc rgb gray }
  high(h) = p == 3 ? h < 0.9 : h > 0.15
  drawn(h) = p == 4 && $1 == 1 ? NaN : h
  # A number is above its bar: where the bar to the right is higher, it ends there (heads 0 and 6).
  beside(left) = high(drawn(column(c[p]))) && ($2 == 0 || $2 == 6) == left ? (p == 3 ? 1 : column(c[p])) + 0.12 : NaN
  plot file using (at($1, $2)):(drawn(column(c[p]))) with boxes lc rgb tint[p], \
       file using (at($1, $2) + 0.4):(beside(1)):(sprintf("%.2f", column(c[p]))) with labels right font ",14" tc rgb ink, \
       file using (at($1, $2) - 0.4):(beside(0)):(sprintf("%.2f", column(c[p]))) with labels left font ",14" tc rgb ink
}
unset multiplot
