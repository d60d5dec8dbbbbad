load "style.gp"
set terminal svg size 900,460 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/variety.svg"
set multiplot title "The same chains, against what is usually plotted, and against what is not" font ",16"
unset key; set yrange [0.22:1.06]; set ytics ("50 %%" 0.5, "75 %%" 0.75, "100 %%" 1); set tmargin at screen 0.86; set bmargin at screen 0.17
file = data."/variety.csv"
of(n) = strcol(1)[1:strlen(n)] eq n
set ylabel "stories that are true"
set lmargin at screen 0.1; set rmargin at screen 0.5
set xlabel "different 2-grams in 25 stories"; set xrange [0.35:0.74]; set xtics 0.1
plot file every ::1 using 19:4:20:21:5:6 with xyerrorbars pt 7 ps 0.4 lw 1 lc rgb "#bbbbbb", \
     for [i=1:4] file every ::1 using (of(word("min_p epsilon top_p top_k", i)) ? $19 : NaN):4 with points pt 7 ps 0.8 lc rgb word("#009E73 #222222 #0072B2 #E69F00", i)
set lmargin at screen 0.56; set rmargin at screen 0.98; set ylabel ""; set format y ""; unset ytics; set ytics ("" 0.5, "" 0.75, "" 1)
set xlabel "true stories still possible"; set xrange [-0.04:1.04]; set xtics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1)
set label 1 "min\\_p" at 0.6,1.03 tc rgb "#009E73"; set label 2 "epsilon" at 0.86,1.03 tc rgb "#222222"; set label 3 "top\\_p" at 0.28,0.86 tc rgb "#0072B2"; set label 4 "top\\_k" at 0.35,0.97 tc rgb "#E69F00"
plot file every ::1 using 7:4:8:9:5:6 with xyerrorbars pt 7 ps 0.4 lw 1 lc rgb "#bbbbbb", \
     for [i=1:4] file every ::1 using (of(word("min_p epsilon top_p top_k", i)) ? $7 : NaN):4 with points pt 7 ps 0.8 lc rgb word("#009E73 #222222 #0072B2 #E69F00", i)
unset multiplot
