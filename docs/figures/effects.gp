load "style.gp"
set terminal svg size 1000,1900 dynamic enhanced background rgb "white" font "sans-serif,13"
set output out."/effects.svg"
chains = system("tail -n +2 ".data."/effects.csv | cut -d'\"' -f2 | awk '!seen[$0]++' | tr '\\n' ' '")
set multiplot layout 10,4 title "Each sampler on a peaked (blue) and a flat (orange) distribution of 40 tokens: probabilities before (line) and after (bars)" font ",15" noenhanced
unset key; set style fill solid 0.8; set boxwidth 0.9; set grid y
set lmargin 5; set rmargin 1; set tmargin 2.6; set bmargin 1.6
do for [c in chains] {
  do for [shape in "peaked flat"] {
    peaked = shape eq "peaked"
    set title sprintf("%s", c) noenhanced font ",13"
    set xrange [0.3:(peaked ? 12.7 : 40.7)]; every_x = peaked ? 4 : 10; every_y = peaked ? 0.5 : 0.1; set xtics every_x; set yrange [0:(peaked ? 1.05 : 0.21)]; set ytics every_y
    plot data."/effects.csv" using (strcol(1) eq c && strcol(2) eq shape ? $3 : NaN):5 with boxes lc rgb (peaked ? blue : orange), \
         "" using (strcol(1) eq c && strcol(2) eq shape ? $3 : NaN):4 with histeps lc rgb black lw 1
  }
}
unset multiplot
