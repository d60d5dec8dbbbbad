name = "price"; high = 520; file = data."/price.csv"
heading = "The most expensive cut is not the most useful one"
load "style.gp"
X0 = 70; X1 = 366; Y0 = 102; Y1 = 464; @place; eval panel("F: harmonic mean of precision and recall")
set xlabel "microseconds of the cut, 131,072 tokens (log scale)"
set logscale x; set yrange [0.8:1.003]; set ytics 0.05; set xrange [5:600]; @cut_y
# A name at the right of all points, moved apart from the others, with a line to its point.
ends = system(sprintf("awk -F, -v right=640 -v scale=log -v gap=0.0105 -v ceiling=1 -v floor=0.81 -f apart.awk -f priced.awk '%s'", file))
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs top_a top_h"
array tint[10] = [color_top_p, color_min_p, color_top_k, color_top_n_sigma, color_epsilon, color_eta, color_typical, color_tfs, color_top_a, color_top_h]
shade(chain) = (sum [k=1:10] (chain[1:strlen(word(names, k)) + 1] eq word(names, k).":" ? k : 0))
do for [i=0:words(ends) / 4 - 1] {
  chain = word(ends, 4 * i + 1); k = shade(chain); paint = k ? tint[k] : gray
  set arrow i + 10 from real(word(ends, 4 * i + 2)),real(word(ends, 4 * i + 3)) to 640,real(word(ends, 4 * i + 4)) nohead lw 0.8 dt 3 lc rgb paint
  set label i + 10 chain at 680,real(word(ends, 4 * i + 4)) left noenhanced tc rgb paint font ",14"
}
plot for [k=1:10] file every ::1 using (shade(strcol(1)) == k ? $5 : NaN):2:6:7 with yerrorbars pt 7 ps 0.9 lw 1.6 lc rgb tint[k]
unset multiplot
