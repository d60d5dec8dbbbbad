load "style.gp"
set terminal svg size 1300,1700 dynamic enhanced background rgb "white" font "sans-serif,12"
set output out."/effects.svg"
chains = system("tail -n +2 ".data."/effects.csv | cut -d'\"' -f2 | awk '!seen[$0]++' | tr '\\n' ' '")
set multiplot layout 10,4 title "Each sampler on a peaked (blue) and on a flat (red) distribution: the line before, the bars after" font ",16" noenhanced
unset key; set style fill solid 0.8; set boxwidth 0.9; set grid y; set xrange [0.3:40.7]; set xtics 5
do for [c in chains] {
  do for [shape in "peaked flat"] {
    set title sprintf("%s  (%s)", c, shape) noenhanced font ",12"
    set yrange [0:*]; set xrange [0.3:(shape eq "peaked" ? 12.7 : 40.7)]; set ytics (shape eq "peaked" ? 0.5 : 0.1)
    set xlabel "token" font ",10"; set ylabel "probability" font ",10"
    shade = (shape eq "peaked") ? blue : red
    plot data."/effects.csv" using (strcol(1) eq c && strcol(2) eq shape ? $3 : NaN):5 with boxes lc rgb shade, \
         "" using (strcol(1) eq c && strcol(2) eq shape ? $3 : NaN):4 with steps lc rgb black lw 1
  }
}
unset multiplot
