# cuts.gp - a panel of precision and recall, for frontier.gp and hot.gp: file, heat (a temperature, or ""), gap (of names), low and top (ends of the axis), above (text)
# Both axes are spread toward 100 %: style.gp.
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs top_a"
array tint[9] = [color_top_p, color_min_p, color_top_k, color_top_n_sigma, color_epsilon, color_eta, color_typical, color_tfs, color_top_a]
array dash[9] = [1, 1, 1, 4, 1, 2, 4, 2, 2] # hues that are close differ in their dashes
part(what) = sprintf("< awk -v heat='%s' -v gap=%g -v low=%g -v top=%g -v names='%s' -v part=%s -f apart.awk -f curves.awk '%s'", heat, gap, low, top, names, what, file)
set xrange [spread(0):0.02]; set yrange [spread(low):spread(top) + 0.02]
set xtics ("0 %%" spread(0), "50 %%" spread(0.5), "80 %%" spread(0.8), "95 %%" spread(0.95), "100 %%" 0)
set ytics ("0 %%" spread(0), "25 %%" spread(0.25), "50 %%" spread(0.5), "70 %%" spread(0.7), "80 %%" spread(0.8), "90 %%" spread(0.9), "95 %%" spread(0.95), "99 %%" spread(0.99), "100 %%" 0)
unset label; eval panel(above)
named = system(part("names")[3:*]) # of the best settings, outside of the axes
do for [i=0:words(named) / 6 - 1] {
  y = real(word(named, 6 * i + 2)); f = int(word(named, 6 * i + 1))
  set arrow i + 10 from spread(real(word(named, 6 * i + 3))),spread(real(word(named, 6 * i + 4))) to 0.045,y nohead lw 0.8 dt 3 lc rgb tint[f]
  set label i + 10 word(named, 6 * i + 5)." ".word(named, 6 * i + 6) at 0.055,y left noenhanced font ",14" tc rgb tint[f]
}
plot for [i=1:9] part("curves") index i - 1 using (spread($1)):(spread($2)) with linespoints pt 7 ps 0.35 lw 1.6 dt dash[i] lc rgb tint[i], \
     for [i=1:9] part("best") using ($1 == i ? spread($2) : NaN):(spread($3)):(spread($4)):(spread($5)):(spread($6)):(spread($7)) with xyerrorbars pt 6 ps 1.1 lw 1.2 lc rgb tint[i]
unset label; do for [i=10:20] { unset arrow i }
