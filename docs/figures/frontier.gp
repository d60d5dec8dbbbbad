load "style.gp"
set terminal svg size 900,1000 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/frontier.svg"
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs"
array colors[8] = [color_top_p, color_min_p, color_top_k, color_top_n_sigma, black, red, color_typical, "#8c6d46"]
file = data."/frontier.csv"
family(n) = by_kept("\"".n.":", file)
is(chains) = strstrt(chains, " ".strcol(1)." ") > 0
begins(n) = strcol(1)[1:strlen(n)] eq n
unset key
set ylabel "stories that are true"
set multiplot layout 2,1 title "Precision and recall of each cut, over its parameter" font ",16" noenhanced

# All of it: a name beside each curve, where it is apart from the others.
named = " min_p:0.1 top_p:0.9 top_k:20 top_n_sigma:0.5 epsilon:0.02 eta:0.3 typical:0.9 tfs:0.9 top_a:0.2 "
above = " min_p:0.1 top_n_sigma:0.5 epsilon:0.02 top_k:20 top_a:0.2 "
start = " draw temp:0.8 mirostat_v2:2 "
name(chain) = strstrt(chain, ":") ? chain[1:strstrt(chain, ":") - 1] : chain
set xrange [-0.03:1.1]; set yrange [0.6:1.04]
set xtics ("0 %%" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); set ytics ("60 %%" 0.6, "70 %%" 0.7, "80 %%" 0.8, "90 %%" 0.9, "100 %%" 1)
unset xlabel
plot for [i=1:8] family(word(names, i)) using 7:4:8:9:5:6 with xyerrorbars pt 7 ps 0.5 lw 0.7 lc rgb colors[i], \
     for [i=1:8] family(word(names, i)) using 7:4 with lines lw 2 lc rgb colors[i], \
     file every ::1 using (begins("top_a") || begins("top_h") || begins("p_less") || begins("mirostat") || begins("temp") ? $7 : NaN):4 with points pt 7 ps 0.6 lc rgb "#aaaaaa", \
     file every ::1 using (strcol(1) eq "draw" ? $7 : NaN):4 with points pt 3 ps 1.2 lw 1.5 lc rgb black, \
     file every ::1 using (is(named) && is(above) ? $7 : NaN):4:(name(strcol(1))) with labels center offset 0,0.9 noenhanced font ",13" tc rgb "#222222", \
     file every ::1 using (is(named) && !is(above) ? $7 : NaN):4:(name(strcol(1))) with labels center offset 0,-1.1 noenhanced font ",13" tc rgb "#222222", \
     file every ::1 using (is(start) ? $7 : NaN):4:1 with labels left offset 1,-0.3 noenhanced font ",13" tc rgb "#222222"

# The corner, with the settings.
set xlabel "true stories still possible"
set xrange [0.84:1.03]; set yrange [0.86:1.012]
set xtics ("85 %%" 0.85, "90 %%" 0.9, "95 %%" 0.95, "100 %%" 1); set ytics ("90 %%" 0.9, "95 %%" 0.95, "100 %%" 1)
left_of = " min_p:0.05 eta:0.02 tfs:0.99 min_p:0.01 min_p:0.005 "
under = " epsilon:0.01 epsilon:0.005 "
over = " min_p:0.02 eta:0.005 top_n_sigma:1 top_p:0.95 typical:0.95 "
right_of = " top_p:0.97 top_n_sigma:1.2 top_n_sigma:1.3 top_a:0.1 "
full = " epsilon:0.002 epsilon:0.0005 eta:0.002 top_k:40 top_k:50 top_k:64 "
plot for [i=1:8] family(word(names, i)) using 7:4 with lines lw 2 lc rgb colors[i], \
     for [i=1:8] family(word(names, i)) using 7:4 with points pt 7 ps 0.8 lc rgb colors[i], \
     file every ::1 using (is(right_of) ? $7 : NaN):4:1 with labels left offset 0.8,-0.5 noenhanced font ",13" tc rgb "#222222", \
     file every ::1 using (is(over) ? $7 : NaN):4:1 with labels left offset 0.8,0.5 noenhanced font ",13" tc rgb "#222222", \
     file every ::1 using (is(left_of) ? $7 : NaN):4:1 with labels right offset -0.8,-0.5 noenhanced font ",13" tc rgb "#222222", \
     file every ::1 using (is(under) ? $7 : NaN):4:1 with labels center offset 0,-1 noenhanced font ",13" tc rgb "#222222", \
     file every ::1 using (is(full) ? $7 : NaN):4:1 with labels left offset 0.8,0 noenhanced font ",13" tc rgb "#222222"
unset multiplot
