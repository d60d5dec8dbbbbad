name = "look-back"; high = 636; file = data."/look-back.csv"
heading = "Without attention, color and friend are forgotten"
load "style.gp"
pick(mixer, what) = sprintf("< awk -F, '$1 == \"%s\" && $3 == \"%s\"' '%s'", mixer, what, file)
wrong(mixer) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"min_p:0.1\"' '%s'", mixer, file)
at(what) = what eq "hero again" ? 1 : what eq "thing again" ? 2 : what eq "color again" ? 3 : what eq "friend again" ? 4 : NaN
X0 = 80; X1 = 400; Y0 = 90; Y1 = 316; @place
eval panel("loss in nats a token (log scale)")
set xlabel "steps of 2,112 tokens"; set yrange [0.2:7]; set xtics 1000; set logscale y; set ytics (0.2, 0.5, 1, 2, 4)
set label 3 "attention" at graph 1.02,0.08 tc rgb blue; set label 4 "memory" at graph 1.02,0.17 tc rgb red
plot pick("attention", "loss") using 4:5 with lines lw 2.5 lc rgb blue, pick("delta", "loss") using 4:5 with lines lw 2.5 lc rgb red
unset logscale; unset label
set border 1; set grid x noy; set yrange [4.5:0.5]; set xrange [-1:101]; set xtics ("0" 0, "50 %%" 50, "100 %%" 100)
Y0 = 424; Y1 = 578; @place; set ytics ("the hero" 1, "the thing" 2, "its color" 3, "the friend" 4) scale 0
eval panel("said again rightly, in a thousand tales"); set xlabel "share, with its 95 % interval"
set label 3 "attention" at graph 1.03,0.93 tc rgb blue; set label 4 "memory" at graph 1.03,0.82 tc rgb red
plot wrong("attention") using (100 * $5):(at(strcol(3)) - 0.14):(100 * $6):(100 * $7) with xerrorbars pt 7 ps 0.5 lw 2 lc rgb blue, \
     wrong("delta") using (100 * $5):(at(strcol(3)) + 0.14):(100 * $6):(100 * $7) with xerrorbars pt 5 ps 0.5 lw 2 lc rgb red
unset multiplot
