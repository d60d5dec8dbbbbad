name = "order"; high = 628; file = data."/order.csv"
heading = "Heat before the cut lets more tokens through than after\nit; cooling before the cut lets fewer"
load "style.gp"
array chains[4] = ["temp:2 then top_p:0.8", "top_p:0.8 then temp:2", "temp:0.5 then top_p:0.8", "top_p:0.8 then temp:0.5"]
set style fill solid 0.6 noborder; set boxwidth 0.9; set xrange [0.3:40.7]; set xtics (1, 20, 40); set yrange [0:0.2]; set grid y nox
do for [i=1:4] {
  X0 = i % 2 ? 76 : 308; X1 = X0 + 202; Y0 = i < 3 ? 112 : 390; Y1 = Y0 + 172; @place
  eval panel(chains[i]); set xlabel "token, by falling probability"; set ylabel (i % 2 ? "probability" : "") offset 1,0
  if (i % 2) { set ytics ("0 %%" 0, "5 %%" 0.05, "10 %%" 0.1, "15 %%" 0.15, "20 %%" 0.2) } else { set ytics ("" 0, "" 0.05, "" 0.1, "" 0.15, "" 0.2) }
  here = sprintf("< awk -F, '$1 == \"\\\"%s\\\"\" && $2 == \"flat\"' '%s'", chains[i], file)
  kept = system(here[3:*]." | awk -F, '$5 > 0' | wc -l") + 0
  set label 3 sprintf("%d tokens pass", kept) at graph 0.97,0.88 right tc rgb ink font ",14"
  plot here using 3:5 with boxes lc rgb (i < 3 ? red : blue), here using 3:4 with lines lc rgb axis lw 1
}
unset multiplot
