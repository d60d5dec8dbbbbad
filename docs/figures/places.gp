load "style.gp"
set terminal svg size 900,430 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/places.svg"
file = data."/places.csv"
set multiplot layout 1,2 title "A text that is filled in any order" font ",16"
set bmargin at screen 0.25; set tmargin at screen 0.82; set key at screen 0.5,0.07 center horizontal maxcols 5 samplen 2 font ",12"
set lmargin at screen 0.08; set rmargin at screen 0.47
set xlabel "position in the text"; set ylabel "step in which it was filled" offset 1; set xrange [0:132]; set yrange [0:132]
unset key; set title "one tale, surest first" font ",14"
plot x with lines lc rgb gray lw 2 dt 2, "<grep ^order ".file using 3:4 with points pt 7 ps 0.45 lc rgb blue
set key at screen 0.5,0.07 center horizontal maxcols 5 samplen 2 font ",12"
set lmargin at screen 0.6; set rmargin at screen 0.97; set logscale x
set xlabel "positions filled per step"; set ylabel "doubled words, of 100" offset 1; set xrange [0.85:17]; set yrange [0:*]; set xtics ("1" 1, "2" 2, "4" 4, "8" 8, "16" 16)
set title "twenty tales per point" font ",14"
rule(i) = i == 1 ? "confidence" : "random"
shade(i) = i == 1 ? 0x0072B2 : 0xD55E00
plot for [i=1:2] "<grep ^tales,".rule(i)." ".file using (130.0/$3):4 with linespoints pt 7 ps 0.7 lw 2 lc rgb shade(i) title rule(i)
unset multiplot
