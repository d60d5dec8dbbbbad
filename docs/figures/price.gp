load "style.gp"
set output out."/price.svg"
set title "What a cut costs, and what it buys at its best setting" noenhanced
set xlabel "microseconds of the cut, 131,072 tokens, one thread, on the machine that built this page"; set ylabel "F: harmonic mean of precision and recall"
set logscale x; unset key; set yrange [0.75:1]; set xrange [5:*]
plot data."/price.csv" every ::1 using 5:2 with points pt 7 ps 1 lc rgb blue, \
     "" every ::1 using 5:(strstrt(strcol(1), "eta") ? NaN : $2):1 with labels left offset 0.8,0.4 noenhanced font ",13" tc rgb "#222222", \
     "" every ::1 using 5:(strstrt(strcol(1), "eta") ? $2 : NaN):1 with labels right offset -0.8,0.4 noenhanced font ",13" tc rgb "#222222"
