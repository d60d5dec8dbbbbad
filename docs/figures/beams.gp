name = "beams"; high = 380; file = data."/beams.csv"
heading = "The likeliest stories are all alike; of what sixteen beams\nfind, only half are true stories"
load "style.gp"
set border 1; set grid x noy; set yrange [6.6:0.4]; Y0 = 112; Y1 = 310
set ytics ("true stories" 1, "greedy" 2, "2 beams" 3, "4 beams" 4, "8 beams" 5, "16 beams" 6) scale 0
array tint[2] = [gray, blue]
rows(k) = sprintf("< awk -F, -v OFS=, '/^\"/ { $1 = ++n; if ((n > 1) + 1 == %d) print }' '%s'", k, file)
array titles[3] = ["surprisal", "true stories", "different 2-grams"]
array labels[3] = ["nats a story", "share", "share"]
do for [p=1:3] {
  X0 = 104 + (p - 1) * 140; X1 = X0 + 110; @place
  if (p == 2) { set ytics ("" 1, "" 2, "" 3, "" 4, "" 5, "" 6) scale 0 }
  if (p == 1) { set xrange [0:50]; set xtics 25 } else { set xrange [0:1.04]; set xtics ("0" 0, "50 %%" 0.5, "100 %%" 1) }
  eval panel(titles[p]); set xlabel labels[p]; c = 3 * p
  plot for [k=1:2] rows(k) using c:1:(column(c + 1)):(column(c + 2)) with xerrorbars pt 7 ps 0.6 lw 2 lc rgb tint[k]
}
unset multiplot
