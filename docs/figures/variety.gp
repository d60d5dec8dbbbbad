name = "variety"; high = 850; file = data."/variety.csv"
heading = "Distinct-2 does not tell top\\_p:0.9 from min\\_p:0.05, which\ncould tell more than twice as many stories"
load "style.gp"
set yrange [0.22:1.03]; set ytics ("25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); X0 = 66; X1 = 400
cuts = "min_p epsilon top_p top_k"; array tint[4] = [color_min_p, color_epsilon, color_top_p, color_top_k]
picked(want, rows) = sprintf("< awk -v want='%s valid %s_low %s_high valid_low valid_high' -v rows='%s' -f pick.awk '%s'", want, want, want, rows, file)
array of[2] = ["distinct_2", "kept"]; pair = "min_p:0.05 top_p:0.9"; array shade[2] = [color_min_p, color_top_p]
array spot_x[4] = [0.3, 0.52, 0.7, 0.34]; array spot_y[4] = [0.72, 0.57, 0.62, 0.62] # of their names, in each panel
do for [p=1:2] {
  Y0 = p == 1 ? 104 : 502; Y1 = Y0 + 284; @place; @cut_y; eval panel("stories that are true")
  if (p == 1) { set xlabel "different / all 2-grams in 25 stories"; set xrange [0.35:0.8]; set xtics 0.1 } else { set xlabel "true stories still possible"; set xrange [-0.02:1.02]; set xtics @percent }
  do for [k=1:4] { set label 10 + k word(cuts, k) at graph 1.03,0.98 - 0.08 * k tc rgb tint[k] noenhanced }
  set label 15 "all others" at graph 1.03,0.58 tc rgb gray
  do for [k=1:2] { # the two chains that the title compares, with their intervals
    row = system(picked(of[p], "^".word(pair, k)."$")[3:*]." | tr ',' ' '")
    set arrow 20 + k from graph spot_x[2 * p + k - 2],spot_y[2 * p + k - 2] + 0.05 to real(word(row, 2)),real(word(row, 3)) nohead lw 0.8 dt 3 lc rgb shade[k]
    set label 20 + k word(pair, k) at graph spot_x[2 * p + k - 2],spot_y[2 * p + k - 2] center noenhanced tc rgb shade[k]
  }
  plot picked(of[p], ".") using 2:3 with points pt 7 ps 0.4 lc rgb gray, \
       for [k=1:4] picked(of[p], "^".word(cuts, k).":") using 2:3 with points pt 7 ps 0.8 lc rgb tint[k], \
       for [k=1:2] picked(of[p], "^".word(pair, k)."$") using 2:3:4:5:6:7 with xyerrorbars pt 6 ps 1.3 lw 1.6 lc rgb shade[k]
}
unset multiplot
