name = "kept"; high = 950; file = data."/kept.csv"
heading = "A fixed number keeps ten where one token fits; the other\ncuts keep more where the model is less sure"
load "style.gp"
set logscale y; set yrange [0.7:500]; set xrange [-0.1:5.2]; set ytics (1, 10, 100)
names = "top_k:10 top_p:0.9 typical:0.9 min_p:0.05 top_n_sigma:1"
columns = "3 4 6 5 7"
array colors[5] = [color_top_k, color_top_p, color_typical, color_min_p, color_top_n_sigma]
do for [i=1:5] {
  X0 = i % 2 ? 62 : 322; X1 = X0 + 186; Y0 = 112 + int((i - 1) / 2) * 282; Y1 = Y0 + 190; @place
  eval panel(word(names, i))
  set ylabel "tokens kept (log scale)" offset 0.8,0; set xlabel "entropy of the step, nats"
  plot file every ::1 using 2:(column(int(word(columns, i)))) with points pt 7 ps 0.4 lc rgb colors[i]
}
unset multiplot
