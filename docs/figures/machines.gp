name = "machines"; high = 1110; file = data."/machines.csv"
heading = "By rows, more machines help up to a number;\nby layers, one text is as fast as on one"
load "style.gp"
array models[3] = ["405B", "70B", "8B"]; array tint[3] = [blue, red, green]
set logscale x 2; set xrange [1:65]; set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
set logscale y
rows(g, m, split) = sprintf("< awk -F, '$1 == %d && $2 == \"%s\" && $4 == 1 && $5 == \"%s\" && $3 <= 64' %s", g, models[m], split, file)
last(g, m) = sprintf("< awk -F, '$1 == %d && $2 == \"%s\" && $4 == 1 && $5 == \"layers\" && $3 == 64' %s", g, models[m], file)
array title[3] = ["1 Gb/s: tokens/s (solid: by rows, dashed: by layers)", "10 Gb/s", "100 Gb/s"]
do for [g=1:3] {
  X0 = 62; X1 = 462; Y0 = 92 + (g - 1) * 254; Y1 = Y0 + 186; @place
  rate = word("1 10 100", g) + 0
  eval panel(title[g])
  set yrange [0.03:(g == 1 ? 20 : g == 2 ? 50 : 150)]; set ytics ("0.1" 0.1, "1" 1, "10" 10, "100" 100)
  set xlabel (g == 3 ? "machines (both axes: log scale)" : " ")
  plot for [m=1:3] rows(rate, m, "rows") using 3:7 with linespoints pt 7 ps 0.6 lw 2 lc rgb tint[m], \
       for [m=1:3] rows(rate, m, "layers") using 3:7 with lines lw 2 lc rgb tint[m] dt 2, \
       for [m=1:3] last(rate, m) using 3:7:2 with labels left offset 1,0 font ",14" tc rgb tint[m]
  unset label 2
}
# Measured, on two machines.
X0 = 62; X1 = 462; Y0 = 880; Y1 = 1040; @place
unset logscale; set xrange [0.5:4.5]; set yrange [0:48]; set ytics 0,10,40
set xtics ("rows,\n100 Mb/s" 1, "rows,\n1 Gb/s" 2, "layers,\n100 Mb/s" 3, "layers,\n1 Gb/s" 4)
set xlabel " "
eval panel("Two machines, 240M weights: ms a token (rings: expected)")
of(what) = sprintf("< awk -F, '$2 == \"%s\" { print ($5 == \"rows\" ? 1 : 3) + ($1 == 1) \",\" $6 }' %s", what, file)
plot of("expected") using 1:2 with points pt 6 ps 1.8 lw 2 lc rgb gray, \
     of("measured") using 1:2 with points pt 7 ps 0.9 lc rgb ink, \
     of("measured") using 1:2:(sprintf("%.1f", $2)) with labels left offset 1.2,0 font ",14" tc rgb ink
unset multiplot
