load "style.gp"
set terminal svg size 900,560 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/contrast.svg"
set multiplot title "Contrast and guidance, minus the cut that they contain (min\\_p:0.1), opening by opening" font ",16"
unset key; set border 1; set grid x noy; set yrange [10.6:0.4]; set tmargin at screen 0.9; set bmargin at screen 0.16
file = data."/contrast.csv"
is_control = "strcol(1) eq 'min_p:0.1' || strcol(2) eq 'amateur'"
shown = sprintf("< grep -v -e ',amateur,' -e '^.min_p:0.1.,' '%s'", file)
set ytics ("no cut (draw)" 1, "min\\_p:0.2" 2, "min\\_p:0.1, temp 0.8" 3, "contrast, beta 0.25" 4, "contrast, beta 0.5" 5, "contrast, beta 1" 6, "cfg, scale 1.25" 7, "cfg, scale 1.5" 8, "cfg, scale 2" 9, "cfg, scale 3" 10) scale 0
set arrow 1 from 0,0.5 to 0,10.5 nohead lc rgb "#888888" lw 1
color(n) = n < 3 ? 0x888888 : n < 6 ? 0x0072B2 : 0xD55E00
set lmargin at screen 0.2; set rmargin at screen 0.57
set xlabel "true stories: difference"; set xrange [-0.45:0.06]; set xtics ("-40 %%" -0.4, "-20 %%" -0.2, "0" 0)
plot shown every ::1 using 25:($0 + 1):26:27:(color($0)) with xerrorbars pt 7 ps 1 lw 2 lc rgb variable
set lmargin at screen 0.62; set rmargin at screen 0.97; set format y ""; unset ytics
set xlabel "KL(truth | chain), nats per story: difference"; set xrange [-0.5:2.75]; set xtics 1
plot shown every ::1 using 34:($0 + 1):35:36:(color($0)) with xerrorbars pt 7 ps 1 lw 2 lc rgb variable
unset multiplot
