load "style.gp"
set terminal svg size 900,400 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/beams.svg"
set multiplot layout 1,3 title "The likeliest stories that beams find, next to true ones" font ",16"
unset key; set border 1; set grid x noy; set yrange [6.6:0.4]; set tmargin at screen 0.84; set bmargin at screen 0.2
file = data."/beams.csv"
set ytics ("true stories" 1, "greedy" 2, "2 beams" 3, "4 beams" 4, "8 beams" 5, "16 beams" 6) scale 0
shade(n) = n == 0 ? 0x888888 : 0x0072B2
set lmargin at screen 0.13; set rmargin at screen 0.38; set xlabel "-ln p of the story, nats"
plot file every ::1 using 3:($0 + 1):4:5:(shade($0)) with xerrorbars pt 7 ps 1 lw 2 lc rgb variable
unset ytics; set ytics ("" 1, "" 2, "" 3, "" 4, "" 5, "" 6) scale 0
set lmargin at screen 0.43; set rmargin at screen 0.68; set xlabel "true stories"; set xrange [0.35:1.02]; set xtics ("50 %%" 0.5, "75 %%" 0.75, "100 %%" 1)
plot file every ::1 using 6:($0 + 1):7:8:(shade($0)) with xerrorbars pt 7 ps 1 lw 2 lc rgb variable
set lmargin at screen 0.73; set rmargin at screen 0.98; set xlabel "different 2-grams in 25"; set xrange [0:0.8]; set xtics 0.2
plot file every ::1 using 9:($0 + 1):10:11:(shade($0)) with xerrorbars pt 7 ps 1 lw 2 lc rgb variable
unset multiplot
