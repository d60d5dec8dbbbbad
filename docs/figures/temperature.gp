load "style.gp"
set terminal svg size 900,440 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/temperature.svg"
chains = "temp:0.25 temp:0.5 temp:1 temp:1.5 temp:2"
array colors[5] = [blue, sky, black, orange, red]
set multiplot layout 1,2 title "The same distribution at five temperatures" font ",16" margins 0.08,0.98,0.14,0.72 spacing 0.1,0
set logscale y; set yrange [1e-4:1.2]; set format y "10^{%T}"; set xlabel "token, by falling probability"; set ylabel "probability"
do for [shape in "peaked flat"] {
  set title shape
  if (shape eq "flat") { set key at screen 0.5,0.92 center top horizontal maxrows 1 samplen 1.5 width 1; set xtics 5; set mxtics 5 } else { set key off }
  plot for [i=1:5] data."/temperature.csv" using (strcol(1) eq word(chains, i) && strcol(2) eq shape ? $3 : 1/0):5 with lines lw 2 lc rgb colors[i] title word(chains, i)
}
unset multiplot
