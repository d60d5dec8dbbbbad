load "style.gp"
set terminal svg size 900,400 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/mask.svg"
set title "Three equally likely ways to begin a sentence: how often each comes" font ",16"
file = data."/mask.csv"
row(way) = way eq "He had a small house" ? 1 : way eq "His home was" ? 2 : 3
set border 1; set grid x noy; set yrange [3.6:0.4]; set xrange [0:0.75]
set ytics ("He had a small house" 1, "His home was" 2, "Every morning he swept" 3) scale 0 noenhanced
set xtics ("0 %%" 0, "20 %%" 0.2, "1/3" 1.0/3, "60 %%" 0.6)
set xlabel "share of the texts that obey, with twice its standard error"
set arrow 1 from 1.0/3, 0.4 to 1.0/3, 3.6 nohead lw 2 lc rgb black dt 2
pick(method) = sprintf("< awk -F, '$2 == \"%s\"' '%s'", method, file)
plot pick("masked") using 3:(row(strcol(1)) - 0.2):(2 * $4) with xerrorbars pt 7 ps 1.2 lw 2 lc rgb red title "masked, token by token", \
     pick("rejected") using 3:(row(strcol(1))):(2 * $4) with xerrorbars pt 5 ps 1.2 lw 2 lc rgb blue title "drawn freely, rejected if it does not obey", \
     pick("weighted") using 3:(row(strcol(1)) + 0.2):(2 * $4) with xerrorbars pt 9 ps 1.4 lw 2 lc rgb green title "masked, weighted"
