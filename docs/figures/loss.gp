name = "loss"; high = 560; file = data."/loss.csv"
heading = "Down to four bits the storyteller hardly loses; at two it\nfalls apart"
load "style.gp"
X0 = 74; X1 = 400; Y0 = 102; Y1 = 504; @place; eval panel("loss above the unquantized model's, nats a token (log scale)")
set xlabel "bits per weight"
set logscale y; set xrange [1:7.5]; set yrange [1e-5:30]; set format y "10^{%T}"
# Rows "format",log10 of what it loses,,,bits: those within the axes.  A name at the right of all points, moved apart from the others, with a line to its point.
rows = sprintf("awk -F, '$1 == \"F32\" { base = $5 } $2 < 7.5 && $5 > base + 1e-5 { printf \"\\\"%%s\\\",%%g,,,%%g\\n\", $1, log($5 - base) / log(10), $2 }' '%s'", file)
ends = system(rows." | awk -F, -v right=7.6 -v gap=0.245 -v ceiling=1.38 -v floor=-4.9 -f apart.awk -f priced.awk")
do for [i=0:words(ends) / 4 - 1] {
  set arrow i + 10 from real(word(ends, 4 * i + 2)),10 ** real(word(ends, 4 * i + 3)) to 7.6,10 ** real(word(ends, 4 * i + 4)) nohead lw 0.8 dt 3 lc rgb gray
  set label i + 10 word(ends, 4 * i + 1) at 7.7,10 ** real(word(ends, 4 * i + 4)) left noenhanced tc rgb ink font ",14"
}
plot "< ".rows using 5:(10 ** $2) with points pt 7 ps 0.9 lc rgb blue
unset multiplot
