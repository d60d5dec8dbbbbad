load "style.gp"
set terminal svg size 900,400 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/constraint.svg"
set multiplot title "What a constraint takes from the model, and what happens to the story" font ",16"
unset key; set border 1; set grid x noy; set yrange [6.6:0.4]; set tmargin at screen 0.86; set bmargin at screen 0.2
file = data."/constraint.csv"
set ytics ("nothing is asked" 2, "a card fulfils a schema" 1, "the name is from a list" 3, "the last paragraph is given" 4, "the last words are given" 5, "no letter e" 6) scale 0 noenhanced
set lmargin at screen 0.24; set rmargin at screen 0.6
set xlabel "nats per text: median and quartiles"; set logscale x; set xrange [0.0002:1000]
set xtics ("0.001" 0.001, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100)
plot file every ::1 using ($3 > 0 ? $3 : NaN):($0 + 1):4:5 with xerrorbars pt 7 ps 1.2 lw 2 lc rgb red, \
     file every ::1 using ($3 > 0 ? NaN : 0.0004):($0 + 1):("0") with labels textcolor rgb red font ",14"
unset logscale x
set lmargin at screen 0.65; set rmargin at screen 0.97; unset ytics
set xlabel "valid in Tiny World, with twice the error"; set xrange [-0.05:1.05]; set xtics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1)
plot file every ::1 using 6:($0 + 1):(2 * $7) with xerrorbars pt 7 ps 1.2 lw 2 lc rgb blue
unset multiplot
