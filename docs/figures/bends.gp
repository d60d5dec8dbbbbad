load "style.gp"
set terminal svg size 700,560 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/bends.svg"
chains = "temp:0.5 quadratic:0.3 adaptive_p:0.1 penalties:rep=1.5"; shapes = "flat flat flat peaked"
set multiplot layout 2,2 title "Samplers that move probability instead of cutting: before (line), after (bars)" font ",16"
unset key; set style fill solid 0.8; set boxwidth 0.9; set grid y
set lmargin 7; set rmargin 1.5; set tmargin 2.6; set bmargin 3.4
set xrange [0.3:40.7]; set xtics 10; set yrange [0:*]; set format y "%.0f %%"
do for [i = 1:4] {
  c = word(chains, i); shape = word(shapes, i); peaked = (shape eq "peaked")
  set title sprintf("%s, %s", c, shape) noenhanced font ",15"
  if (peaked) { set xrange [0.3:12.7]; set xtics 2; set ytics 25 }
  set xlabel "token, by falling probability"
  plot data."/bends.csv" using (strcol(1) eq c && strcol(2) eq shape ? $3 : NaN):(100 * $5) with boxes lc rgb (peaked ? blue : orange), \
       "" using (strcol(1) eq c && strcol(2) eq shape ? $3 : NaN):(100 * $4) with lines lc rgb black lw 2
}
unset multiplot
