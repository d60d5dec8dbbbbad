load "style.gp"
set output out."/roofline.svg"
set title "The roof of this machine, and the products under it"
set xlabel "flop for each byte from memory"; set ylabel "GFLOP/s"
all = system("awk -F, '$1 == \"roof\" && !seen[$2]++ { print $2 }' ".data."/roofline.csv")
set logscale xy; set xrange [0.3:800]; set yrange [1:*]
names = "F32 F16 Q8_0 Q4_K Q4_0"
array tint[5] = [black, gray, blue, green, red]
rows(kind, name) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\"' %s/roofline.csv", kind, name, data)
plot for [i=1:words(all)] rows("roof", word(all, i)) using 3:4 with lines lw 2 dt words(all)-i+1 lc rgb orange title sprintf("roof, %s thread%s", word(all, i), i > 1 ? "s" : ""), \
     for [i=1:5] rows("kernel", word(names, i)) using 3:4 with linespoints lw 1.5 pt 7 ps 0.8 lc rgb tint[i] title word(names, i)
