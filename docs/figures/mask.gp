name = "mask"; high = 440
heading = "A mask alone shifts the odds: of three equally\nlikely ways to begin, one comes three times as often"
load "style.gp"
row(way) = way eq "He had a small house" ? 1 : way eq "His home was" ? 2 : 3
set border 1; set grid x noy; set yrange [3.6:0.4]; set xrange [0:0.75]; X0 = 190; X1 = 500; Y0 = 172; Y1 = 380; @place
set label 3 "masked, token by token" at screen 0.38,1 - 90.0 / high tc rgb red
set label 4 "drawn freely, kept if it obeys" at screen 0.38,1 - 112.0 / high tc rgb blue
set label 5 "masked, weighted" at screen 0.38,1 - 134.0 / high tc rgb green
set ytics ("He had a small house" 1, "His home was" 2, "Every morning he swept" 3) scale 0 noenhanced
set xtics ("0 %%" 0, "20 %%" 0.2, "1/3" 1.0/3, "60 %%" 0.6); set xlabel "share of the texts that obey, 95 % interval"
set arrow 1 from 1.0/3, 0.4 to 1.0/3, 3.6 nohead lw 1.5 lc rgb axis dt 2
pick(method) = sprintf("< awk -F, -f wilson.awk -f shares.awk '%s/mask.csv' | grep ',%s,'", data, method)
plot pick("masked") using 4:(row(strcol(2)) - 0.22):5:6 with xerrorbars pt 7 ps 1 lw 2 lc rgb red, \
     pick("rejected") using 4:(row(strcol(2))):5:6 with xerrorbars pt 5 ps 1 lw 2 lc rgb blue, \
     pick("weighted") using 4:(row(strcol(2)) + 0.22):5:6 with xerrorbars pt 9 ps 1.2 lw 2 lc rgb green
unset multiplot
