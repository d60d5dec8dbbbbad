name = "variety"; high = 850; file = data."/variety.csv"
heading = "Distinct-n does not see what a cut forbids: chains that\nlook alike above lie far apart below"
load "style.gp"
set yrange [0.22:1.03]; set ytics ("25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); X0 = 66; X1 = 400
cuts = "min_p epsilon top_p top_k"; array tint[4] = [color_min_p, color_epsilon, color_top_p, color_top_k]
picked(want, rows) = sprintf("< awk -v want='%s valid %s_low %s_high valid_low valid_high' -v rows='%s' -f pick.awk '%s'", want, want, want, rows, file)
array of[2] = ["distinct_2", "kept"]
do for [p=1:2] {
  Y0 = p == 1 ? 104 : 502; Y1 = Y0 + 284; @place; @cut_y; eval panel("stories that are true")
  if (p == 1) { set xlabel "different 2-grams in 25 stories"; set xrange [0.35:0.74]; set xtics 0.1 } else { set xlabel "true stories still possible"; set xrange [-0.02:1.02]; set xtics @percent }
  do for [k=1:4] { set label 10 + k word(cuts, k) at graph 1.03,0.98 - 0.08 * k tc rgb tint[k] noenhanced }
  set label 15 "all others" at graph 1.03,0.58 tc rgb gray
  plot picked(of[p], ".") using 2:3:4:5:6:7 with xyerrorbars pt 7 ps 0.4 lw 1 lc rgb pale, \
       for [k=1:4] picked(of[p], "^".word(cuts, k).":") using 2:3 with points pt 7 ps 0.8 lc rgb tint[k]
}
unset multiplot
