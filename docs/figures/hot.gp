load "style.gp"
set terminal svg size 900,860 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/hot.svg"
set xrange [-0.05:1.08]; set yrange [-0.04:1.06]; set xtics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1); set ytics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1); unset key
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs top_a"
heats = "0.7 1 1.5"
array colors[3] = [blue, green, red]
rows(n, t) = by_kept(sprintf("\"%s%s:", (t eq "1" ? "" : "temp:".t." "), n), data."/hot.csv")
set multiplot layout 3,3 title "Precision and recall of each cut after a temperature of 0.7 (blue), 1 (green) and 1.5 (orange)" font ",16" noenhanced
do for [i=1:9] {
  set title word(names, i) noenhanced font ",16"
  set xlabel (i > 6 ? "true stories still possible" : " "); set ylabel (i % 3 == 1 ? "stories that are true" : " ")
  plot for [k=1:3] rows(word(names, i), word(heats, k)) using 7:4:8:9:5:6 with xyerrorbars pt 7 ps 0.6 lw 1.2 lc rgb colors[k], \
       for [k=1:3] rows(word(names, i), word(heats, k)) using 7:4 with lines lw 2 lc rgb colors[k]
}
unset multiplot
