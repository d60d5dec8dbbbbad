load "style.gp"
set output out."/loss.svg"
set title "The storyteller's loss on held-out documents, every matrix in one format"
set xlabel "bits per weight"; set ylabel "loss above the unquantized model, nats per token"
set logscale y; set xrange [1.3:7.5]; set yrange [1e-5:30]; set format y "10^{%T}"; unset key
base = real(system("awk -F, '$1 == \"F32\" { print $5 }' ".data."/loss.csv"))
rise(a, b) = a < 10 && b > base ? b - base : NaN
in(names) = strstrt(names, " ".strcol(1)." ") > 0
# A label is at the right of its point; elsewhere where another point or label is there.
plot data."/loss.csv" every ::1 using 2:(rise($2, $5)) with points pt 7 ps 1.1 lc rgb blue, \
     "" every ::1 using 2:(in(" TQ1_0 IQ4_NL IQ4_XS MXFP4 Q5_0 Q4_0 ") ? NaN : rise($2, $5)):1 with labels left offset 1,0 noenhanced font ",12", \
     "" every ::1 using 2:(in(" TQ1_0 Q5_0 ") ? rise($2, $5) : NaN):1 with labels center offset 0,1 noenhanced font ",12", \
     "" every ::1 using 2:(in(" Q4_0 ") ? rise($2, $5) : NaN):1 with labels left offset 1,0.45 noenhanced font ",12", \
     "" every ::1 using 2:(in(" IQ4_NL ") ? rise($2, $5) : NaN):1 with labels left offset 1,-0.35 noenhanced font ",12", \
     "" every ::1 using 2:(in(" MXFP4 ") ? rise($2, $5) : NaN):1 with labels right offset -1,0.5 noenhanced font ",12", \
     "" every ::1 using 2:(in(" IQ4_XS ") ? rise($2, $5) : NaN):1 with labels right offset -1,-0.5 noenhanced font ",12"
