name = "temperature"; high = 692; file = data."/temperature.csv"
heading = "A low temperature gives to the likely tokens, a high one\nto the unlikely"
load "style.gp"
chains = "temp:0.5 temp:1 temp:2"; array colors[3] = [blue, ink, red]
array at_x[6] = [1.3, 1.55, 1.85, 3.2, 1.25, 2.1]; array at_y[6] = [0.95, 0.78, 0.5, 0.112, 0.0585, 0.031] # of the names, in each panel
set xrange [0.5:12.5]; set xtics (1, 4, 8, 12); X0 = 66; X1 = 496; set yrange [0:1]; set ytics @percent
do for [p=1:2] {
  shape = word("peaked flat", p)
  Y0 = p == 1 ? 112 : 420; Y1 = Y0 + 200; @place; eval panel(p == 1 ? "probability, peaked distribution" : "probability, flat distribution (another scale)")
  if (p == 2) { set yrange [0:0.15]; set ytics ("0 %%" 0, "5 %%" 0.05, "10 %%" 0.1, "15 %%" 0.15) }
  set xlabel "token, by falling probability (the first twelve of forty)"
  do for [i=1:3] { set label 10 + i word(chains, i) at at_x[3 * p + i - 3],at_y[3 * p + i - 3] left tc rgb colors[i] }
  plot for [i=1:3] file using (strcol(1) eq word(chains, i) && strcol(2) eq shape && $3 <= 12 ? $3 : 1/0):5 with linespoints pt 7 ps 0.6 lw 2 lc rgb colors[i]
}
unset multiplot
