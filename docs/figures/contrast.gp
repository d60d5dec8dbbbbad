load "style.gp"
set terminal svg size 900,420 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/contrast.svg"
set multiplot title "Contrastive decoding beside the cut that it contains" font ",16"
unset key; set border 1; set grid x noy; set yrange [7.6:0.4]; set tmargin at screen 0.86; set bmargin at screen 0.2
shade(model) = model eq "amateur" ? 0x888888 : 0x0072B2
file = data."/contrast.csv"
set ytics ("draw" 1, "min_p:0.1" 2, "contrast, beta = 0.25" 3, "contrast, beta = 0.5" 4, "contrast, beta = 1" 5, "amateur alone: draw" 6, "amateur: min_p:0.1" 7) scale 0 noenhanced
set lmargin at screen 0.2; set rmargin at screen 0.6
set xlabel "valid of 500 stories"; set xrange [-0.03:1.03]; set xtics ("0 %%" 0, "50 %%" 0.5, "100 %%" 1)
plot file every ::1 using 4:($0 + 1):5:(shade(strcol(2))) with xerrorbars pt 7 ps 1.1 lw 2 lc rgb variable
set lmargin at screen 0.64; set rmargin at screen 0.97; unset ytics
set xlabel "distinct 2-grams in 100 stories"; set xrange [0.42:0.53]; set xtics 0.02
plot file every ::1 using 6:($0 + 1):7:(shade(strcol(2))) with xerrorbars pt 7 ps 1.1 lw 2 lc rgb variable
unset multiplot
