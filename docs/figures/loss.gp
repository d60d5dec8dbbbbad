name = "loss"; high = 560; file = data."/loss.csv"
heading = "Down to four bits the storyteller hardly loses; at two it\nfalls apart"
load "style.gp"
X0 = 74; X1 = 500; Y0 = 102; Y1 = 504; @place; eval panel("loss above the unquantized model's, nats a token (log scale)")
set xlabel "bits per weight"
set logscale y; set xrange [1.2:7.5]; set yrange [1e-5:30]; set format y "10^{%T}"
base = real(system("awk -F, '$1 == \"F32\" { print $5 }' ".file))
rise(a, b) = a < 10 && b > base ? b - base : NaN
in(names) = strstrt(names, " ".strcol(1)." ") > 0
# A label is at the right of its point, elsewhere where that is taken; the three formats of 4.5 bits, whose points lie on one another, share one.
together = " Q4_K Q4_0 IQ4_NL "; left_of = " IQ4_XS Q3_K "; over = " TQ1_0 MXFP4 "; under = " Q4_1 "
set label 3 "Q4_K, Q4_0, IQ4_NL" at 4.5,real(system("awk -F, '$1 == \"Q4_K\" { print $5 }' ".file)) - base left offset 0.8,0.4 noenhanced font ",14" tc rgb ink
plot file every ::1 using 2:(rise($2, $5)) with points pt 7 ps 0.9 lc rgb blue, \
     "" every ::1 using 2:(in(together.left_of.over.under) ? NaN : rise($2, $5)):1 with labels left offset 0.8,0 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 2:(in(over) ? rise($2, $5) : NaN):1 with labels center offset 0,0.9 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 2:(in(under) ? rise($2, $5) : NaN):1 with labels center offset 0,-0.9 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 2:(in(left_of) ? rise($2, $5) : NaN):1 with labels right offset -0.8,-0.3 noenhanced font ",14" tc rgb ink
unset multiplot
