name = "mixers"; high = 1010; file = data."/mixers.csv"
heading = "As the text grows, attention stores and computes\nmore; a full window and recurrent layers do not"
load "style.gp"
set logscale xy; set xrange [230:4600]; set xtics ("256" 256, "1024" 1024, "4096" 4096)
array label[7] = ["attention", "attention with a quarter of the keys", "a window of 1024", "one short row (MLA)", "Mamba 2", "DeltaNet", "RWKV 7"]
array short[7] = ["attention", "1/4 of the keys", "window of 1024", "MLA", "Mamba 2", "DeltaNet", "RWKV 7"]
array tint[7] = [ink, gray, purple, blue, orange, red, green]
array dash[7] = [1, 3, 2, 1, 1, 2, 4]; array mark[7] = [7, 7, 5, 9, 7, 5, 9] # lines that lie on each other show both
array c[3] = [3, 5, 6]; array scale[3] = [1, 1e6, 1]; array gap[3] = [0.40, 0.46, 0.35]
array above[3] = ["stored of the text (log scale)", "flops for one more token (log scale)", "time for one more token (log scale)"]
array axes[3] = ["set yrange [60:12000]; set ytics ('100 KB' 100, '1 MB' 1000, '10 MB' 10000)", \
  "set yrange [0.06:24]; set ytics ('0.1 million' 0.1, '1 million' 1, '10 million' 10)", "set yrange [20:2000]; set ytics ('30 µs' 30, '100 µs' 100, '1 ms' 1000)"]
X0 = 92; X1 = 376
do for [p=1:3] {
  Y0 = 112 + (p - 1) * 290; Y1 = Y0 + 222; @place
  eval panel(above[p]); eval axes[p]; set xlabel (p == 3 ? "tokens of the text (log scale)" : " ")
  ends = system(sprintf("awk -F, -v column=%d -v unit=%g -v gap=%g -f apart.awk -f ends.awk '%s'", c[p], scale[p], gap[p], file))
  do for [i=1:7] {
    set label 10 + i short[i] at first 5900,real(word(ends, i)) tc rgb tint[i] font ",14"
    set arrow 10 + i from 4300,real(word(ends, 7 + i)) to 5700,real(word(ends, i)) nohead lw 0.7 lc rgb tint[i]
  }
  plot for [i=1:7] file using (strcol(1) eq label[i] ? $2 : 1/0):(column(c[p]) / scale[p]) with linespoints pt mark[i] ps 0.6 lw 2 dt dash[i] lc rgb tint[i]
}
unset multiplot
