name = "errors"; high = 520; file = data."/errors.csv"
heading = "Each bit halves the error of a matrix: the K formats lie\nalong a straight line"
load "style.gp"
X0 = 72; X1 = 500; Y0 = 102; Y1 = 464; @place; eval panel("error, of the weights' own size (log scale)")
set xlabel "bits per weight"
set logscale y; set xrange [1.5:9.5]; set yrange [0.003:1.5]; set ytics ("1 %%" 0.01, "10 %%" 0.1, "100 %%" 1)
start = real(system("awk -F, '$1 == \"Q4_K\" { print $3 * 2 ^ $2 }' ".file)) # the line through Q4_K
set label 3 "half for each bit" at 7.3,0.0118 tc rgb gray font ",14"
set label 4 "Q4_K, IQ4_NL" at 4.5,real(system("awk -F, '$1 == \"Q4_K\" { print $3 }' ".file)) right offset -0.8,-0.5 noenhanced font ",14" tc rgb ink
left_of = " Q2_K Q3_K Q5_K Q6_K "
is(names) = strstrt(names, " ".strcol(1)." ") > 0
plot [1.5:9.5] start * 2 ** -x with lines lw 1.5 lc rgb pale, file every ::2 using 2:3 with points pt 7 ps 0.8 lc rgb blue, \
     "" every ::2 using 2:(is(" Q4_K IQ4_NL ".left_of) ? NaN : $3):1 with labels left offset 0.8,0.25 noenhanced font ",14" tc rgb ink, \
     "" every ::2 using 2:(is(left_of) ? $3 : NaN):1 with labels right offset -0.8,-0.5 noenhanced font ",14" tc rgb ink
unset multiplot
