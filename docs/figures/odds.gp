load "style.gp"
set terminal svg size 900,430 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/odds.svg"
set multiplot title "Temperature forbids nothing, and changes the odds" font ",16"
unset key; set tmargin at screen 0.86; set bmargin at screen 0.17; set xrange [0:1.6]; set xtics 0,0.4
set xlabel "temperature"
file = sprintf("< grep -e '^.temp:' -e '^.draw' '%s/odds.csv' | sed 's/^.draw/\"temp:1/' | sort -t: -k2 -g", data)
t(x) = real(strcol(1)[6:*])
set lmargin at screen 0.12; set rmargin at screen 0.49
set ylabel "stories that are true" offset 1.5,0; set yrange [-0.03:1.05]; set ytics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1)
plot file using (t(0)):4:5:6 with yerrorbars pt 7 ps 0.8 lw 2 lc rgb color_temp, file using (t(0)):4 with lines lw 2 lc rgb color_temp
set lmargin at screen 0.6; set rmargin at screen 0.98
set ylabel "KL, nats per story"; set yrange [0:13]; set ytics 2
set label 1 "KL(truth | chain)" at 0.47,9 tc rgb color_temp; set label 2 "KL(chain | truth)" at 0.04,1.2 left tc rgb blue
plot file using ($13 > 0 ? t(0) : NaN):13:14:15 with yerrorbars pt 7 ps 0.8 lw 2 lc rgb color_temp, file using ($13 > 0 ? t(0) : NaN):13 with lines lw 2 lc rgb color_temp, \
     file using ($13 > 0 ? t(0) : NaN):10:11:12 with yerrorbars pt 7 ps 0.8 lw 2 lc rgb blue, file using ($13 > 0 ? t(0) : NaN):10 with lines lw 2 lc rgb blue
unset multiplot
