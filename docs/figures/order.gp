load "style.gp"
set terminal svg size 900,460 dynamic enhanced background rgb "white" font "sans-serif,13"
set output out."/order.svg"
array chains[4] = ["temp:2 then top_p:0.8", "top_p:0.8 then temp:2", "temp:0.5 then top_p:0.8", "top_p:0.8 then temp:0.5"]
array colors[4] = [red, red, blue, blue]
set multiplot layout 2,2 title "Order matters: temperature before and after top-p, on the peaked distribution" font ",16"
unset key; set style fill solid 0.7; set boxwidth 0.9; set xrange [0.3:5.7]; set xtics 1; set ytics 0.5; set yrange [0:1.02]; set ylabel "probability"
do for [i=1:4] {
  set title chains[i] noenhanced; set xlabel (i > 2 ? "token, by falling probability" : "")
  plot data."/order.csv" using (strcol(1) eq chains[i] && strcol(2) eq "peaked" ? $3 : NaN):5 with boxes lc rgb colors[i]
}
unset multiplot
