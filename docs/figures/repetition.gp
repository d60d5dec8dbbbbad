load "style.gp"
set output out."/repetition.svg"
set title "Repetition in a text that may not end (penalties, dry, no_repeat: with greedy)" noenhanced
set xlabel "position (tokens)"; set ylabel "share of 4-grams (last 40 tokens) that stood before"; set yrange [0:1.02]
names = "greedy penalties:rep=1.1 dry:0.8 no_repeat:4 top_p:0.9"
array colors[5] = [color_greedy, red, green, purple, color_top_p]
plot for [i=1:5] data."/repetition.csv" using (strcol(1) eq word(names, i) ? $2 : NaN):3 with lines lw 2 lc rgb colors[i] title word(names, i)
