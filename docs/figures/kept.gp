load "style.gp"
set terminal svg size 900,760 dynamic enhanced background rgb "white" font "sans-serif,13"
set output out."/kept.svg"
unset key; set logscale y; set yrange [0.7:500]; set xrange [-0.1:5.2]
names = "top_k:10 top_p:0.9 typical:0.9 min_p:0.05 top_n_sigma:1"
columns = "3 4 6 5 7"
array colors[5] = [color_top_k, color_top_p, color_typical, color_min_p, color_top_n_sigma]
set multiplot layout 2,3 title "Candidates kept against entropy, over the steps of five stories" font ",16"
do for [i=1:5] {
  set title word(names, i) noenhanced font ",15"
  set xlabel "entropy of the step (nats)"; set ylabel "candidates kept"
  plot data."/kept.csv" every ::1 using 2:(column(int(word(columns, i)))) with points pt 7 ps 0.5 lc rgb colors[i]
}
unset multiplot
