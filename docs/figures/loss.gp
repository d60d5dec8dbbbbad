load "style.gp"
set output out."/loss.svg"
set title "The storyteller's loss on held-out documents, every matrix in one format"
set xlabel "bits per weight"; set ylabel "loss above the unquantized model, nats per token"
set logscale y; set xrange [1.4:9.5]; set yrange [1e-5:30]; set format y "10^{%T}"; unset key
base = real(system("awk -F, '$1 == \"F32\" { print $5 }' ".data."/loss.csv"))
left(name) = strstrt("TQ1_0 IQ4_NL IQ4_XS", name)
plot data."/loss.csv" every ::1 using 2:($2 < 10 && $5 > base ? $5 - base : 1/0) with points pt 7 ps 1.2 lc rgb blue, \
     "" every ::1 using 2:($2 < 10 && $5 > base && !left(strcol(1)) ? $5 - base : 1/0):1 with labels left offset 1,0.2 noenhanced font ",12", \
     "" every ::1 using 2:($2 < 10 && $5 > base && left(strcol(1)) ? $5 - base : 1/0):1 with labels right offset -1,-0.2 noenhanced font ",12"
