name = "roofline"; high = 620; file = data."/roofline.csv"
heading = "With one column memory limits a product; with 256 it\nreaches six to nine tenths of its arithmetic's ceiling"
load "style.gp"
X0 = 72; X1 = 424; Y0 = 102; Y1 = 564; @place; eval panel("GFLOP/s (log scale)")
set xlabel "operations for each byte from memory (log scale)"
set logscale xy; set xrange [0.3:1000]; set yrange [6:700]; set xtics ("0.5" 0.5, "1" 1, "4" 4, "16" 16, "64" 64, "256" 256); set ytics (10, 30, 100, 300)
of(kind, what) = real(system(sprintf("awk -F, '$1 == \"%s\" && $2 == \"%s\" { print $5 }' '%s'", kind, what, file)))
floats = of("peak", "floats"); bytes = of("peak", "bytes"); memory = of("read", "memory"); inner = of("read", "512 KB")
roof(x, ceiling, slope) = slope * x < ceiling ? slope * x : ceiling
names = "F32 F16 Q8_0 Q4_K Q4_0"; array tint[5] = [red, orange, blue, purple, green]
rows(n) = sprintf("< awk -F, '$1 == \"product\" && $2 == \"%s\"' '%s'", n, file)
set label 3 sprintf("multiply-adds of bytes: %.0f", bytes) at 950,bytes * 1.1 right tc rgb ink font ",14"
set label 4 sprintf("of floats: %.0f", floats) at 950,floats * 1.1 right tc rgb ink font ",14"
set label 5 sprintf("memory: %.0f GB/s", memory) at 0.5,memory * 0.5 * 1.55 rotate by 67 left tc rgb ink font ",14"
set label 6 sprintf("second cache: %.0f GB/s", inner) at 0.36,inner * 0.36 * 1.5 rotate by 67 left tc rgb gray font ",14"
array y[5] = [1, 1, 1.03, 0.85, 1.22]
do for [i=1:5] {
  last = real(system(sprintf("awk -F, '$1 == \"product\" && $2 == \"%s\" { v = $5 } END { print v }' '%s'", word(names, i), file)))
  end = real(system(sprintf("awk -F, '$1 == \"product\" && $2 == \"%s\" { v = $4 } END { print v }' '%s'", word(names, i), file)))
  set label 10 + i word(names, i) at (i < 3 ? end * 1.25 : 1150),last * y[i] left noenhanced tc rgb tint[i]
}
set samples 400
plot roof(x, bytes, memory) with lines lw 2.5 lc rgb ink, roof(x, floats, memory) with lines lw 2.5 lc rgb ink, \
     roof(x, floats, inner) with lines lw 1.2 dt 3 lc rgb gray, \
     for [i=1:5] rows(word(names, i)) using 4:5 with linespoints lw 1.5 pt 7 ps 0.7 lc rgb tint[i]
unset multiplot
