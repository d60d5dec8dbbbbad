name = "machines"; high = 866; file = data."/machines.csv"
heading = "More machines help up to a number;\nbeyond it, sending costs more than it saves"
load "style.gp"
array models[3] = ["405B", "70B", "8B"]; array tint[3] = [blue, red, green]; array dash[3] = [1, 2, 4]
set logscale x 2; set xrange [1:65]; set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
set logscale y 2
curve(g, m) = sprintf("< awk -F, '$1 == %d && $2 == \"%s\"' %s", g, models[m], file)
last(g, m) = sprintf("< awk -F, '$1 == %d && $2 == \"%s\" && $3 == 64' %s", g, models[m], file)
set arrow 1 from 1,1 to 64,1 nohead lc rgb axis lw 1 dt 3
do for [g=1:3] {
  X0 = 70; X1 = 450; Y0 = 92 + (g - 1) * 254; Y1 = Y0 + 186; @place
  rate = word("1 10 100", g) + 0
  eval panel(sprintf("%d Gb/s: how many times as fast as one machine", rate))
  set yrange [(g == 1 ? 0.03125 : 0.5):(g == 1 ? 4 : 32)]
  set ytics ("1/32" 0.03125, "1/16" 0.0625, "1/8" 0.125, "1/4" 0.25, "1/2" 0.5, "1" 1, "2" 2, "4" 4, "8" 8, "16" 16, "32" 32)
  set xlabel (g == 3 ? "machines (both axes: log scale)" : " ")
  plot for [m=1:3] curve(rate, m) using 3:5 with linespoints pt 7 ps 0.6 lw 2 lc rgb tint[m] dt dash[m], \
       for [m=1:3] last(rate, m) using 3:5:2 with labels left offset 1,0 font ",14" tc rgb tint[m]
  unset label 2
}
unset multiplot
