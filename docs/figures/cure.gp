load "style.gp"
set terminal svg size 900,480 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/cure.svg"
set multiplot title "What ends loops, and what it does to stories that do not loop" font ",16"
unset key; set border 1; set grid x noy; set yrange [9.6:0.4]; set tmargin at screen 0.86; set bmargin at screen 0.17
chains = "greedy penalties:rep=1.1 penalties:rep=1.3 penalties:rep=1.8 dry:0.4 dry:0.8 dry:3 no_repeat:4 top_p:0.9"
file = data."/cure.csv"
at(tail) = (sum [k=1:9] (strcol(1) eq word(chains, k).tail ? k : 0))
looping(x) = strcol(2) eq "draft" ? at(" greedy") + at("") : 0
healthy(x) = strcol(2) eq "storyteller" ? at(" min_p:0.1") + (strcol(1) eq "min_p:0.1" ? 1 : 0) : 0
set ytics ("greedy" 1) scale 0 noenhanced
do for [k=2:9] { set ytics add (word(chains, k) k) }
set lmargin at screen 0.19; set rmargin at screen 0.44
set xlabel "repeated 4-grams, draft model"; set xrange [-0.02:0.45]; set xtics ("0" 0, "20 %%" 0.2, "40 %%" 0.4)
plot file using (looping(0) ? $10 : NaN):(looping(0)):($11 < 0 ? 0 : $11):12 with xerrorbars pt 7 ps 1 lw 2 lc rgb color_temp
unset ytics; set ytics ("" 1) scale 0
set lmargin at screen 0.48; set rmargin at screen 0.71
set xlabel "stories that are true"; set xrange [0:1.04]; set xtics ("0" 0, "50 %%" 0.5, "100 %%" 1)
plot file using (healthy(0) ? $4 : NaN):(healthy(0)):5:6 with xerrorbars pt 7 ps 1 lw 2 lc rgb blue
set lmargin at screen 0.75; set rmargin at screen 0.98
set xlabel "true stories still possible"
plot file using (healthy(0) ? $7 : NaN):(healthy(0)):8:9 with xerrorbars pt 7 ps 1 lw 2 lc rgb blue
unset multiplot
