name = "surprise"; high = 900; file = data."/surprise.csv"
heading = "Beyond the story surprisal grows: adaptive-p stays near\nits target, both versions of Mirostat overshoot it"
load "style.gp"
set yrange [0:4]; set ytics 1; set xrange [0:300]; set xtics 100
names = "top_p:0.9 mirostat:1 min_p:0.05 top_k:40 mirostat_v2:1 adaptive_p:0.5"
array colors[6] = [color_top_p, color_mirostat, color_min_p, color_top_k, color_mirostat, slate]
rows(n) = sprintf("< grep '^\"%s\",' %s", n, file)
do for [i=1:6] {
  X0 = i % 2 ? 58 : 302; X1 = X0 + 206; Y0 = 112 + int((i - 1) / 2) * 262; Y1 = Y0 + 190; @place; eval panel(word(names, i))
  set xlabel (i > 4 ? "token" : " "); set ylabel (i % 2 ? "bits a token, mean of 20" : "") offset 0.8,0
  if (i == 1) { set label 3 "no cut" at 20,3.7 tc rgb gray font ",14" } else { unset label 3 }
  if (i == 2) { set label 4 "target" at 20,1.3 tc rgb ink font ",14" } else { unset label 4 }
  plot rows("draw") using 2:($3 - 1.96 * $4):($3 + 1.96 * $4) with filledcurves fs solid 0.2 noborder lc rgb gray, rows("draw") using 2:3 with lines lw 1.5 lc rgb gray, \
       rows(word(names, i)) using 2:($3 - 1.96 * $4):($3 + 1.96 * $4) with filledcurves fs solid 0.25 noborder lc rgb colors[i], rows(word(names, i)) using 2:3 with lines lw 2.5 lc rgb colors[i], \
       1 lc rgb ink lw 1.2 dt 2
}
unset multiplot
