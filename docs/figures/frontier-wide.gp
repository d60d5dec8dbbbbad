load "style.gp"
set terminal svg size 900,620 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/frontier-wide.svg"
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs top_a"
array colors[9] = [color_top_p, color_min_p, color_top_k, color_top_n_sigma, black, red, color_typical, "#8c6d46", gray]
file = data."/frontier-wide.csv"
family(n) = by_kept("\"".n.":", file)
is(chains) = strstrt(chains, " ".strcol(1)." ") > 0
unset key
set title "The same cuts in a world with a long tail" noenhanced
set ylabel "stories that are true"; set xlabel "true stories still possible"
set xrange [-0.03:1.1]; set yrange [0.15:0.9]
set xtics ("0 %%" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); set ytics ("20 %%" 0.2, "40 %%" 0.4, "60 %%" 0.6, "80 %%" 0.8)
over = " min_p:0.05 top_n_sigma:1.5 "
under = " top_p:0.9 top_k:40 epsilon:0.005 top_a:0.005 draw temp:0.6 temp:0.8 tfs:0.95 "
plot for [i=1:9] family(word(names, i)) using 7:4:8:9:5:6 with xyerrorbars pt 7 ps 0.5 lw 0.7 lc rgb colors[i], \
     for [i=1:9] family(word(names, i)) using 7:4 with lines lw 2 lc rgb colors[i], \
     file every ::1 using (is(" draw temp:0.6 temp:0.8 ") ? $7 : NaN):4 with points pt 3 ps 1.2 lw 1.5 lc rgb black, \
     file every ::1 using (is(over) ? $7 : NaN):4:1 with labels center offset 0,0.9 noenhanced font ",13" tc rgb "#222222", \
     file every ::1 using (is(under) ? $7 : NaN):4:1 with labels center offset 0,-1.1 noenhanced font ",13" tc rgb "#222222"
