name = "contrast"; high = 500; file = data."/contrast.csv"
heading = "Contrast gains no true story over its own cut,\nand goes farther from the language"
load "style.gp"
set border 1; set grid x noy; set yrange [10.6:0.4]; Y0 = 112; Y1 = 424
shown(k) = sprintf("< grep -v -e ',amateur,' -e '^.min_p:0.1.,' '%s' | awk -v OFS=, 'NR > 2 { print ++n \",\" $0 }' | awk -F, '($1 < 3 ? 1 : $1 < 4 ? 2 : $1 < 7 ? 3 : 4) == %d' | sed 's/\"[^\"]*\"/x/'", file, k)
array tint[4] = [gray, gray, blue, purple] # other chains, contrast, guidance
set ytics ("no cut (draw)" 1, "min\\_p:0.2" 2, "then temp:0.8" 3, "contrast, β 0.25" 4, "contrast, β 0.5" 5, "contrast, β 1" 6, "guidance 1.25" 7, "guidance 1.5" 8, "guidance 2" 9, "guidance 3" 10) scale 0
set arrow 1 from 0,0.5 to 0,10.5 nohead lc rgb axis lw 1
X0 = 134; X1 = 310; @place; eval panel("stories that are true")
set xlabel "difference, points"; set xrange [-0.45:0.06]; set xtics ("-40" -0.4, "-20" -0.2, "0" 0)
plot for [k=1:4] shown(k) using 26:1:27:28 with xerrorbars pt 7 ps 0.5 lw 2 lc rgb tint[k]
set ytics ("" 1, "" 2, "" 3, "" 4, "" 5, "" 6, "" 7, "" 8, "" 9, "" 10)
X0 = 334; X1 = 502; @place; eval panel("KL(truth | chain)")
set xlabel "difference, nats a story"; set xrange [-0.5:2.75]; set xtics 1
plot for [k=1:4] shown(k) using 35:1:36:37 with xerrorbars pt 7 ps 0.5 lw 2 lc rgb tint[k]
unset multiplot
