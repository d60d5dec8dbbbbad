name = "temperature"; high = 640; file = data."/temperature.csv"
heading = "A low temperature gives to the likely tokens, a high one\nto the unlikely"
load "style.gp"
chains = "temp:0.5 temp:1 temp:2"; array colors[3] = [blue, ink, red]
array y1[3] = [0.92, 0.80, 0.68]
set xrange [0.5:12.5]; set xtics (1, 4, 8, 12); X0 = 66; X1 = 496; set yrange [0:1]; set ytics @percent
do for [p=1:2] {
  shape = word("peaked flat", p)
  Y0 = p == 1 ? 112 : 378; Y1 = Y0 + 200; @place; eval panel(p == 1 ? "a peaked distribution" : "a flat distribution, its first twelve tokens (another scale)")
  if (p == 2) { set yrange [0:0.25]; set ytics ("0 %%" 0, "10 %%" 0.1, "20 %%" 0.2); set xlabel "token, by falling probability" } else { set xlabel " " }
  do for [i=1:3] { if (p == 1) { set label 10 + i word(chains, i) at graph 0.97,y1[i] right tc rgb colors[i] } }
  plot for [i=1:3] file using (strcol(1) eq word(chains, i) && strcol(2) eq shape && $3 <= 12 ? $3 : 1/0):5 with linespoints pt 7 ps 0.6 lw 2 lc rgb colors[i]
}
unset multiplot
