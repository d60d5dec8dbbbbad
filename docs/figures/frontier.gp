load "style.gp"
set terminal svg size 900,2000 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/frontier.svg"
set xrange [-0.09:1.2]; set yrange [0.22:1.14]; set xtics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1); set ytics ("50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); unset key
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs top_a top_h mirostat_v2 temp"
array colors[12] = [color_top_p, color_min_p, color_top_k, color_top_n_sigma, black, red, color_typical, gray, orange, blue, color_mirostat, color_temp]
file = data."/frontier.csv"
of(n) = strcol(1)[1:strlen(n) + 1] eq n.":"
# A label is above its point; at the right edge where its point is there; elsewhere where a point, a bar or a line is in its way.
in(names) = strstrt(names, " ".strcol(1)." ") > 0
at_edge(x) = x > 0.95 && !in(" epsilon:0.005 temp:0.3 ")
below = " top_p:0.95 epsilon:0.01 eta:0.02 min_p:0.02 top_a:0.2 top_a:0.02 "
under = " top_p:0.8 top_k:5 mirostat_v2:2 "
parameter(n) = in(" top_p:0.3 ") ? "" : in(" top_p:0.6 ") ? "0.3, 0.6" : strcol(1)[strlen(n) + 2:*]
set multiplot layout 6,2 title "Precision and recall of each cut, over its parameter; gray: all others, star: no cut at all" font ",16" noenhanced
do for [i=1:12] {
  n = word(names, i)
  set title n noenhanced font ",16"
  set xlabel (i > 10 ? "true stories still possible" : ""); set ylabel (i % 2 ? "stories that are true" : "")
  plot file every ::1 using 7:4 with points pt 7 ps 0.5 lc rgb "#bbbbbb", \
       file every ::1 using (strcol(1) eq "draw" ? $7 : NaN):4 with points pt 3 ps 1.2 lw 1.5 lc rgb black, \
       file every ::1 using (of(n) ? $7 : NaN):4:8:9:5:6 with xyerrorbars pt 7 ps 0.6 lw 1.5 lc rgb colors[i], \
       by_kept("\"".n.":", file) using (n ne "temp" ? $7 : NaN):4 with lines lw 2 lc rgb colors[i], \
       file every ::1 using (of(n) && !at_edge($7) && !in(below) && !in(under) ? $7 : NaN):4:(parameter(n)) with labels center offset 0,1.1 noenhanced font ",13" tc rgb "#222222", \
       file every ::1 using (of(n) && at_edge($7) ? 1.045 : NaN):4:(parameter(n)) with labels left noenhanced font ",13" tc rgb "#222222", \
       file every ::1 using (of(n) && in(under) ? $7 : NaN):4:(parameter(n)) with labels left offset 1,-1.1 noenhanced font ",13" tc rgb "#222222", \
       file every ::1 using (of(n) && in(below) ? $7 : NaN):4:(parameter(n)) with labels right offset -0.8,-0.9 noenhanced font ",13" tc rgb "#222222"
}
unset multiplot
