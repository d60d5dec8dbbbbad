load "style.gp"
set output out."/speed.svg"
set title "Time of a sampler against vocabulary (LLM-like logits, one thread)" noenhanced
set xlabel "tokens in the vocabulary"; set ylabel "microseconds"; set logscale xy; set xrange [28000:300000]
set xtics (32768, 131072, 262144)
names = "greedy top_k:40 top_p:0.95 min_p:0.05 typical:0.5 top_n_sigma:1 draw"
array colors[7] = [color_greedy, color_top_k, color_top_p, color_min_p, color_typical, color_top_n_sigma, red]
rows(n) = "< grep -F 'LLM-like,".n.",' ".data."/speed.csv | grep -v ',scalar,'"
plot for [i=1:7] rows("\"".word(names, i)."\"") using 1:5 with linespoints pt 7 lw 2 lc rgb colors[i] title word(names, i), \
     rows("read once") using 1:5 with lines dt 2 lw 2 lc rgb gray title "a loop that only reads the logits"
