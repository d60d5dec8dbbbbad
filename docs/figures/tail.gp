load "style.gp"
set output out."/tail.svg"
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs top_a"
array colors[9] = [color_top_p, color_min_p, color_top_k, color_top_n_sigma, black, red, color_typical, "#8c6d46", gray]
file = data."/tail.csv"
family(n) = sprintf("< grep '^\"%s:' '%s' | sort -t, -k3,3g", n, file)
is(chains) = strstrt(chains, " ".strcol(1)." ") > 0
unset key
set title "What each cut leaves of English: the words after 24 frequent ones" noenhanced
set ylabel "mean surprisal of what is left, bits a word"; set xlabel "words of other pages that are still possible"
set xrange [0.4:0.92]; set yrange [4.4:7.1]
set xtics ("40 %%" 0.4, "50 %%" 0.5, "60 %%" 0.6, "70 %%" 0.7, "80 %%" 0.8, "90 %%" 0.9)
right_of = " top_k:20 top_k:40 top_k:100 top_k:400 top_p:0.8 top_p:0.9 top_p:0.99 top_n_sigma:1 top_n_sigma:2 top_a:0.2 min_p:0.05 tfs:0.95 "
left_of = " min_p:0.1 epsilon:0.005 epsilon:0.002 epsilon:0.0005 typical:0.9 "
plot for [i=1:9] family(word(names, i)) using 3:6:4:5 with xerrorbars pt 7 ps 0.6 lw 0.8 lc rgb colors[i], \
     for [i=1:9] family(word(names, i)) using 3:6 with lines lw 2 lc rgb colors[i], \
     file every ::1 using (is(right_of) ? $3 : NaN):6:1 with labels left offset 0.8,-0.6 noenhanced font ",13" tc rgb "#222222", \
     file every ::1 using (is(left_of) ? $3 : NaN):6:1 with labels right offset -0.8,0.5 noenhanced font ",13" tc rgb "#222222"
