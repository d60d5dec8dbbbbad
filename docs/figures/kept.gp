load "style.gp"
set output out."/kept.svg"
set title "Candidates kept against entropy, over the steps of five stories" noenhanced
set xlabel "entropy of the step (nats)"; set ylabel "candidates kept"; set logscale y; set yrange [0.8:*]
names = "top_k:10 top_p:0.9 min_p:0.05 typical:0.9 top_n_sigma:1"
array colors[5] = [color_top_k, color_top_p, color_min_p, color_typical, color_top_n_sigma]
plot for [i=1:5] data."/kept.csv" using 2:(column(i+2)) with points pt (2*i+3) ps 0.6 lc rgb colors[i] title word(names, i)
