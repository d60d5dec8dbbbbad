load "style.gp"
set terminal svg size 900,440 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/heat.svg"
set multiplot title "The same two stages in both orders" font ",16"
unset key; set border 1; set grid x noy; set yrange [3.6:0.4]; set tmargin at screen 0.82; set bmargin at screen 0.17
cuts = "min_p:0.05 epsilon:0.005 top_p:0.9"
file = data."/heat.csv"
at(t, first) = (sum [k=1:3] (strcol(2) eq t && strcol(1) eq (first ? "temp:".t." ".word(cuts, k) : word(cuts, k)." temp:".t) ? k : 0))
set ytics ("min\\_p:0.05" 1, "epsilon:0.005" 2, "top\\_p:0.9" 3) scale 0
set xrange [-0.04:1.04]; set xtics ("0" 0, "50 %%" 0.5, "100 %%" 1)
do for [p=1:4] {
  t = p < 3 ? "0.7" : "1.5"; c = p % 2 ? 4 : 7
  set lmargin at screen (0.14 + 0.215 * (p - 1)); set rmargin at screen (0.14 + 0.215 * (p - 1) + 0.185)
  set title (p % 2 ? "T = ".t.": true" : "T = ".t.": still possible") font ",14"
  if (p > 1) { set ytics ("" 1, "" 2, "" 3) }
  plot file every ::1 using (at(t, 1) ? column(c) : NaN):(at(t, 1) - 0.12):(column(c + 1)):(column(c + 2)) with xerrorbars pt 7 ps 0.9 lw 2 lc rgb color_temp, \
       file every ::1 using (at(t, 0) ? column(c) : NaN):(at(t, 0) + 0.12):(column(c + 1)):(column(c + 2)) with xerrorbars pt 5 ps 0.9 lw 2 lc rgb blue
}
set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0; unset border; unset tics; unset title; unset grid
set label 1 "orange: temperature first" at screen 0.3,0.05 center tc rgb color_temp; set label 2 "blue: the cut first" at screen 0.7,0.05 center tc rgb blue
set xrange [0:1]; set yrange [0:1]
plot NaN
unset multiplot
