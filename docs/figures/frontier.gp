load "style.gp"
set terminal svg size 900,2000 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/frontier.svg"
set xrange [-0.05:1.12]; set yrange [0.28:1.06]; set xtics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1); set ytics ("50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); unset key
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs top_a top_h mirostat_v2 temp"
array colors[12] = [color_top_p, color_min_p, color_top_k, color_top_n_sigma, black, red, color_typical, gray, orange, blue, color_mirostat, color_temp]
file = data."/frontier.csv"
of(n) = strcol(1)[1:strlen(n) + 1] eq n.":"
parameter(n) = strcol(1)[strlen(n) + 2:*]
set multiplot layout 6,2 title "Precision and recall of each cut, over its parameter; gray: all others, star: no cut at all" font ",16" noenhanced
do for [i=1:12] {
  n = word(names, i)
  set title n noenhanced font ",16"
  set xlabel (i > 10 ? "true stories it could tell" : ""); set ylabel (i % 2 ? "told stories that are true" : "")
  plot file every ::1 using 7:4 with points pt 7 ps 0.5 lc rgb "#bbbbbb", \
       file every ::1 using (strcol(1) eq "draw" ? $7 : NaN):4 with points pt 3 ps 1.2 lw 1.5 lc rgb black, \
       file every ::1 using (of(n) ? $7 : NaN):4:8:9:5:6 with xyerrorbars pt 7 ps 0.6 lw 1.5 lc rgb colors[i], \
       file every ::1 using (of(n) && n ne "temp" ? $7 : NaN):4 smooth unique with lines lw 2 lc rgb colors[i], \
       file every ::1 using (of(n) ? $7 : NaN):4:(parameter(n)) with labels left offset 0.7,0.7 noenhanced font ",13" tc rgb "#222222"
}
unset multiplot
