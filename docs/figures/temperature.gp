load "style.gp"
set terminal svg size 1100,520 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/temperature.svg"
chains = "temp:0.25 temp:0.5 temp:1 temp:1.5 temp:2 temp:1:range=0.8 quadratic:0.2"
array colors[7] = [blue, sky, black, orange, red, green, purple]
set multiplot layout 1,2 title "The temperature family" font ",16" margins 0.08,0.98,0.14,0.72 spacing 0.1,0
set logscale y; set yrange [1e-6:1.2]; set format y "10^{%T}"; set xlabel "token, by falling probability"; set ylabel "probability"
do for [shape in "peaked flat"] {
  set title shape
  if (shape eq "flat") { set yrange [1e-4:0.5]; set key at screen 0.5,0.92 center top horizontal maxrows 2 samplen 1.5 width 1; set xtics 5; set mxtics 5 } else { set key off }
  plot for [i=1:7] data."/temperature.csv" using (strcol(1) eq word(chains, i) && strcol(2) eq shape ? $3 : 1/0):5 with lines lw 2 lc rgb colors[i] title word(chains, i)
}
unset multiplot
