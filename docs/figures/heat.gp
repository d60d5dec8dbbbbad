name = "heat"; high = 600; file = data."/heat.csv"
heading = "With the cut first more stories are true after heating,\nand more remain possible after cooling"
load "style.gp"
set border 1; set grid x noy; set yrange [3.6:0.4]
cuts = "min_p:0.05 epsilon:0.005 top_p:0.9"
at(t, first) = (sum [k=1:3] (strcol(2) eq t && strcol(1) eq (first ? "temp:".t." ".word(cuts, k) : word(cuts, k)." temp:".t) ? k : 0))
set xrange [-0.02:1.02]; set xtics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1)
do for [p=1:4] {
  t = p < 3 ? "0.7" : "1.5"; c = p % 2 ? 4 : 7
  X0 = p % 2 ? 122 : 334; X1 = X0 + 168; Y0 = p < 3 ? 140 : 374; Y1 = Y0 + 140; @place
  eval panel(p % 2 ? "stories that are true" : "true stories still possible")
  if (p % 2) { set label 5 "T = ".t at screen 0.012,1 - (Y0 - 11.0) / high left font ",15" tc rgb ink } else { unset label 5 }
  set xlabel (p % 2 ? "share of those told" : "share of all true ones")
  if (p % 2) { set ytics ("min\\_p:0.05" 1, "epsilon:0.005" 2, "top\\_p:0.9" 3) scale 0 } else { set ytics ("" 1, "" 2, "" 3) }
  if (p == 1) { set label 3 "● temperature first" at screen 0.02,1 - 92.0 / high tc rgb color_temp; set label 4 "■ cut first" at screen 0.34,1 - 92.0 / high tc rgb slate } else { unset label 3; unset label 4 }
  plot file every ::1 using (at(t, 1) ? column(c) : NaN):(at(t, 1) - 0.14):(column(c + 1)):(column(c + 2)) with xerrorbars pt 7 ps 0.7 lw 2 lc rgb color_temp, \
       file every ::1 using (at(t, 0) ? column(c) : NaN):(at(t, 0) + 0.14):(column(c + 1)):(column(c + 2)) with xerrorbars pt 5 ps 0.7 lw 2 lc rgb slate
}
unset multiplot
