name = "price"; high = 520; file = data."/price.csv"
heading = "The most expensive cut is not the most useful one"
load "style.gp"
X0 = 70; X1 = 480; Y0 = 74; Y1 = 464; @place
set xlabel "microseconds of the cut, 131,072 tokens (log scale)"; set ylabel "F: harmonic mean of precision and recall" offset 0.8,0
set logscale x; set yrange [0.75:1]; set ytics 0.05; set xrange [5:2000]; @cut_y
plot file every ::1 using 5:2 with points pt 7 ps 0.9 lc rgb blue, \
     "" every ::1 using 5:(strstrt(strcol(1), "eta") ? NaN : $2):1 with labels left offset 0.8,0.4 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 5:(strstrt(strcol(1), "eta") ? $2 : NaN):1 with labels right offset -0.8,0.4 noenhanced font ",14" tc rgb ink
unset multiplot
