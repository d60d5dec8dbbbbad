name = "bends"; high = 636; file = data."/bends.csv"
heading = "These samplers cut nothing: they move probability\nfrom where it was (line) to where it is (bars)"
load "style.gp"
chains = "temp:0.5 quadratic:0.3 adaptive_p:0.1 penalties:rep=1.5"; shapes = "flat flat flat peaked"
array what[4] = ["to the likely", "off the very top", "toward its target", "off repeated 2 to 4"]
set style fill solid 0.55 noborder; set boxwidth 0.9; set grid y nox; set format y "%.0f %%"
do for [i = 1:4] {
  c = word(chains, i); shape = word(shapes, i); peaked = (shape eq "peaked")
  X0 = i % 2 ? 72 : 326; X1 = X0 + 184; Y0 = i < 3 ? 112 : 394; Y1 = Y0 + 176; @place
  set label 3 what[i] at graph 0.98,0.93 right tc rgb ink font ",14"
  eval panel(c)
  if (peaked) { set xrange [0.3:12.7]; set xtics (1, 4, 8, 12); set yrange [0:100]; set ytics 25 } else { set xrange [0.3:40.7]; set xtics (1, 20, 40); set yrange [0:16]; set ytics 5 }
  set xlabel (i > 2 ? (peaked ? "token, peaked distribution" : "token, flat distribution") : "token, flat distribution")
  set ylabel (i % 2 ? "probability" : "") offset 1.2,0
  plot file using (strcol(1) eq c && strcol(2) eq shape ? $3 : NaN):(100 * $5) with boxes lc rgb slate, \
       "" using (strcol(1) eq c && strcol(2) eq shape ? $3 : NaN):(100 * $4) with lines lc rgb ink lw 2
}
unset multiplot
