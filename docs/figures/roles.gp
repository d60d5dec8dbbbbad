name = "roles"; high = 900; file = data."/roles.csv"
heading = "Without head 2.0 he and she are confused, without 2.1\nnames; without some others nearly nothing is lost"
load "style.gp"
set style data histograms; set style histogram rowstacked; set style fill solid 0.85 border rgb ground; set boxwidth 0.78
set yrange [0:1.14]; set ytics @percent; set xrange [-0.6:7.6]; X0 = 66; X1 = 500; set xtics scale 0
row(l) = sprintf("< grep '^%d,' %s", l, file)
share(k) = 1.0 * column(k) / column(3)
array what[4] = ["no sentence of this world", "he or she confused", "a wrong name or animal", "a wrong thing or fact"]
array c[4] = [9, 6, 5, 7]; array tint[4] = [pale, orange, red, blue]
do for [k=1:4] { set label k + 10 what[k] at screen (k % 2 ? 0.13 : 0.6),1 - (k < 3 ? 88.0 : 110.0) / high tc rgb (k == 1 ? gray : tint[k]) }
do for [l=0:2] {
  Y0 = 160 + l * 244; Y1 = Y0 + 180; @place; eval panel(sprintf("stories that go wrong without a head of layer %d", l))
  plot for [k=1:4] row(l) using (share(c[k])):xtic(sprintf("%d.%d", $1, $2)) lc rgb tint[k], \
       row(l) using ($0):(wilson(1 - share(4), $3, -1)):(0):(wilson(1 - share(4), $3, 1) - wilson(1 - share(4), $3, -1)) with vectors nohead lw 1.5 lc rgb ink, \
       row(l) using ($0):(wilson(1 - share(4), $3, 1) + 0.07):(sprintf("%.0f", 100 * (1 - share(4)))) with labels font ",14" tc rgb ink
  do for [k=1:4] { unset label k + 10 }
}
unset multiplot
