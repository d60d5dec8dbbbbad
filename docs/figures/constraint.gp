name = "constraint"; high = 376; file = data."/constraint.csv"
heading = "Two costly constraints leave hardly a true story"
load "style.gp"
set border 1; set grid x noy; set yrange [6.6:0.4]; Y0 = 88; Y1 = 296
set ytics ("nothing is asked" 2, "a card fulfils a schema" 1, "the name is from a list" 3, "the last paragraph is given" 4, "the last words are given" 5, "no letter e" 6) scale 0 noenhanced
rows = sprintf("< awk -F, -f wilson.awk -f shares.awk '%s'", file)
X0 = 206; X1 = 352; @place
eval panel("cost of a text"); set xlabel "nats (log), quartiles"; set logscale x; set xrange [0.0002:1000]
set xtics ("0.001" 0.001, "0.1" 0.1, "10" 10)
plot rows using ($4 > 0 ? $4 : NaN):1:5:6 with xerrorbars pt 7 ps 0.5 lw 2 lc rgb red, \
     rows using ($4 > 0 ? NaN : 0.0005):1:("0") with labels textcolor rgb red font ",14"
unset logscale x; X0 = 378; X1 = 496; @place
eval panel("true stories"); set ytics ("" 1, "" 2, "" 3, "" 4, "" 5, "" 6)
set xlabel "95 % interval"; set xrange [-0.02:1.04]; set xtics ("0" 0, "50 %%" 0.5, "100 %%" 1)
plot rows using 7:1:8:9 with xerrorbars pt 7 ps 0.5 lw 2 lc rgb blue
unset multiplot
