name = "loss"; high = 560; file = data."/loss.csv"
heading = "Down to four bits the storyteller hardly loses; at two it\nfalls apart"
load "style.gp"
X0 = 74; X1 = 500; Y0 = 102; Y1 = 504; @place; eval panel("loss above the unquantized model, nats (log scale)")
set xlabel "bits per weight"
set logscale y; set xrange [1.3:7.5]; set yrange [1e-5:30]; set format y "10^{%T}"
base = real(system("awk -F, '$1 == \"F32\" { print $5 }' ".file))
rise(a, b) = a < 10 && b > base ? b - base : NaN
in(names) = strstrt(names, " ".strcol(1)." ") > 0
# A label is at the right of its point; elsewhere where another point or label is there.
plot file every ::1 using 2:(rise($2, $5)) with points pt 7 ps 0.9 lc rgb blue, \
     "" every ::1 using 2:(in(" TQ1_0 IQ4_NL IQ4_XS MXFP4 Q5_0 Q4_0 Q3_K ") ? NaN : rise($2, $5)):1 with labels left offset 0.8,0 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 2:(in(" TQ1_0 Q5_0 ") ? rise($2, $5) : NaN):1 with labels center offset 0,0.9 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 2:(in(" Q4_0 ") ? rise($2, $5) : NaN):1 with labels left offset 0.8,0.45 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 2:(in(" IQ4_NL ") ? rise($2, $5) : NaN):1 with labels left offset 0.8,-0.35 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 2:(in(" MXFP4 ") ? rise($2, $5) : NaN):1 with labels center offset 0,-0.9 noenhanced font ",14" tc rgb ink, \
     "" every ::1 using 2:(in(" IQ4_XS Q3_K ") ? rise($2, $5) : NaN):1 with labels right offset -0.8,-0.5 noenhanced font ",14" tc rgb ink
unset multiplot
