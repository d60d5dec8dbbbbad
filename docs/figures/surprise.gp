load "style.gp"
set output out."/surprise.svg"
set title "Surprise along a text at temperature 1.6: Mirostat holds its target, others drift" noenhanced
set xlabel "token"; set ylabel "mean surprise so far (bits)"; set yrange [0:*]
names = "top_p:0.9 top_k:40 mirostat:0.7 mirostat_v2:0.7"
array colors[4] = [color_top_p, color_top_k, color_mirostat, green]
plot for [i=1:4] data."/surprise.csv" using (strcol(1) eq word(names, i) ? $2 : NaN):4 with lines lw 2 lc rgb colors[i] title word(names, i), 0.7 lc rgb gray dt 2 title "target"
