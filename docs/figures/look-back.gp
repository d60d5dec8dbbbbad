load "style.gp"
set terminal svg size 1000,420 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/look-back.svg"
file = data."/look-back.csv"
pick(mixer, what) = sprintf("< awk -F, '$1 == \"%s\" && $3 == \"%s\"' '%s'", mixer, what, file)
wrong(mixer) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"min_p:0.1\"' '%s'", mixer, file)
at(what) = what eq "hero again" ? 1 : what eq "thing again" ? 2 : what eq "color again" ? 3 : what eq "friend again" ? 4 : NaN
set multiplot layout 1,2
set title "The same tales, step by step" font ",16"
set xlabel "steps of 2,112 tokens"; set ylabel "loss in nats a token"; set yrange [0.2:7]; set logscale y
set ytics (0.2, 0.3, 0.5, 1, 2, 4)
plot pick("attention", "loss") using 4:5 with lines lw 2.5 lc rgb blue title "attention", \
     pick("delta", "loss") using 4:5 with lines lw 2.5 lc rgb red title "memory"
unset logscale; unset ylabel
set title "Repeated correctly, in a thousand tales" font ",16"
set border 1; set grid x noy; set yrange [4.5:0.5]; set xrange [-3:103]
set ytics ("the hero" 1, "the thing" 2, "its color" 3, "the friend" 4) scale 0
set xlabel "share of the tales, with its 95 % interval"
set format x "%g %%"
plot wrong("attention") using (100 * $5):(at(strcol(3)) - 0.13):(100 * $6):(100 * $7) with xerrorbars pt 7 ps 1.1 lw 2 lc rgb blue title "attention", \
     wrong("delta") using (100 * $5):(at(strcol(3)) + 0.13):(100 * $6):(100 * $7) with xerrorbars pt 5 ps 1.1 lw 2 lc rgb red title "memory"
unset multiplot
