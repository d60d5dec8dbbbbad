load "style.gp"
set output out."/errors.svg"
set title "Bits against error: a matrix of the storyteller, by format"
set xlabel "bits per weight"; set ylabel "root of the mean squared error, of the weights' own size"
set logscale y; set xrange [1.5:9.5]; set yrange [0.003:1.5]; unset key
plot data."/errors.csv" every ::2 using 2:3 with points pt 7 ps 1.2 lc rgb blue, \
     "" every ::2 using 2:(strcol(1) eq "IQ4_NL" ? 1/0 : $3):1 with labels left offset 1,0.2 noenhanced font ",12", \
     "" every ::2 using 2:(strcol(1) eq "IQ4_NL" ? $3 : 1/0):1 with labels right offset -1,-0.2 noenhanced font ",12"
