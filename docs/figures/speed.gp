name = "speed"; high = 520; file = data."/speed.csv"
heading = "Typical, top-p and draw cost most; the others a few\nreads of the logits"
load "style.gp"
X0 = 72; X1 = 366; Y0 = 102; Y1 = 464; @place; eval panel("microseconds (log scale)")
set xlabel "tokens in the vocabulary (log scale)"; set logscale xy; set xrange [28000:300000]
set xtics ("32,768" 32768, "131,072" 131072, "262,144" 262144)
names = "greedy top_k:40 top_p:0.95 min_p:0.05 typical:0.5 top_n_sigma:1 draw read"
array colors[8] = [ink, color_top_k, color_top_p, color_min_p, color_typical, color_top_n_sigma, rose, gray]
rows(n) = "< grep -F 'LLM-like,".(n eq "read" ? "read once" : "\"".n."\"").",' ".file." | grep -v ',scalar,'"
ends = system(sprintf("awk -F, -v names='%s' -f apart.awk -f times.awk '%s'", names, file))
do for [i=1:8] { set label (10 + i) (i == 8 ? "a loop that reads" : word(names, i)) at first 330000,real(word(ends, i)) tc rgb colors[i] noenhanced font ",14" }
plot for [i=1:7] rows(word(names, i)) using 1:5 with linespoints pt 7 ps 0.6 lw 2 lc rgb colors[i], rows("read") using 1:5 with lines dt 2 lw 2 lc rgb gray
unset multiplot
