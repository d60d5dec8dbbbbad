load "style.gp"
set terminal svg size 960,460 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/mixers.svg"
file = data."/mixers.csv"
set multiplot layout 1,3 title "What a layer keeps of a text, and what one more token costs" font ",16"
set logscale xy; set xrange [230:4600]; set xtics ("256" 256, "512" 512, "1024" 1024, "2048" 2048, "4096" 4096) font ",11"; set xlabel "tokens of the text"
set grid x y; set bmargin at screen 0.34; set tmargin at screen 0.82
set key at screen 0.36,0.19 right top vertical samplen 2 font ",12"
label(i) = i == 1 ? "attention" : i == 2 ? "attention with a quarter of the keys" : i == 3 ? "a window of 1024" : i == 4 ? "one short row (MLA)" : i == 5 ? "Mamba 2" : i == 6 ? "DeltaNet" : "RWKV 7"
shade(i) = i == 1 ? 0x222222 : i == 2 ? 0x999999 : i == 3 ? 0x56B4E9 : i == 4 ? 0x0072B2 : i == 5 ? 0xE69F00 : i == 6 ? 0xD55E00 : 0x009E73
set lmargin at screen 0.08; set rmargin at screen 0.32; set yrange [60:12000]; set ytics ("100 KB" 100, "1 MB" 1000, "10 MB" 10000)
set title "kept" font ",14"
plot for [i=1:7] file using (strcol(1) eq label(i) ? $2 : 1/0):3 with linespoints pt 7 ps 0.6 lw 2 lc rgb shade(i) title (i < 5 ? label(i) : "")
unset key
set lmargin at screen 0.41; set rmargin at screen 0.65; set yrange [0.06:24]; set ytics ("0.1 million" 0.1, "1 million" 1, "10 million" 10)
set title "flops for one more token, counted" font ",14"
plot for [i=1:7] file using (strcol(1) eq label(i) ? $2 : 1/0):($5/1e6) with linespoints pt 7 ps 0.6 lw 2 lc rgb shade(i)
set key at screen 0.84,0.19 right top vertical samplen 2 font ",12"
set lmargin at screen 0.73; set rmargin at screen 0.97; set yrange [20:2000]; set ytics ("30 µs" 30, "100 µs" 100, "1 ms" 1000, "10 ms" 10000)
set title "its time, measured" font ",14"
plot for [i=1:7] file using (strcol(1) eq label(i) ? $2 : 1/0):6 with linespoints pt 7 ps 0.6 lw 2 lc rgb shade(i) title (i < 5 ? "" : label(i))
unset multiplot
