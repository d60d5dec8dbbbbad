load "style.gp"
set terminal svg size 900,1500 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/frontier.svg"
set xrange [0:0.62]; set yrange [-0.03:1.06]; set xtics 0.2; set ytics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1); unset key
names = "temp top_k top_p min_p typical top_n_sigma mirostat_v2 eta"
array colors[8] = [color_temp, color_top_k, color_top_p, color_min_p, color_typical, color_top_n_sigma, color_mirostat, black]
file = data."/frontier.csv"
of(n) = strcol(1)[1:strlen(n) + 1] eq n.":"
parameter(n) = strcol(1)[strlen(n) + 2:*]
left(chain) = strstrt(" top_p:0.9 min_p:0.1 eta:0.02 typical:0.3 min_p:0.5 ", " ".chain." ") > 0
set multiplot layout 4,2 title "Valid stories against distinct 2-grams: each sampler over its parameter, gray: all others" font ",16" noenhanced
do for [i=1:8] {
  n = word(names, i)
  set title n noenhanced font ",16"
  set xlabel (i > 6 ? "distinct 2-grams in 100 stories" : ""); set ylabel (i % 2 ? "valid of 500 stories" : "")
  plot file every ::1 using 6:4 with points pt 7 ps 0.5 lc rgb "#bbbbbb", \
       file every ::1 using (of(n) ? $6 : NaN):4:7:5 with xyerrorbars pt 7 ps 0.6 lw 1.5 lc rgb colors[i], \
       file every ::1 using (of(n) ? $6 : NaN):4 with lines lw 2 lc rgb colors[i], \
       file every ::1 using (of(n) && !left(strcol(1)) ? $6 : NaN):4:(parameter(n)) with labels left offset 0.9,0.3 noenhanced font ",13" tc rgb "#222222", \
       file every ::1 using (of(n) && left(strcol(1)) ? $6 : NaN):4:(parameter(n)) with labels right offset -0.9,-0.2 noenhanced font ",13" tc rgb "#222222"
}
unset multiplot
