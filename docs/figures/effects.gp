load "style.gp"
set terminal svg size 700,860 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/effects.svg"
chains = "top_k:10 top_p:0.9 min_p:0.1 typical:0.9 tfs:0.95 top_a:0.3 epsilon:0.02 eta:0.02 top_n_sigma:1 top_h:0.5 p_less xtc:1:t=0.05 mirostat:3 mirostat_v2:3"
file = data."/effects.csv"
# of the tokens that a chain keeps of a shape the first, the last, and how many
first(chain, shape) = sprintf("awk -F, -v c='\"%s\"' -v s=%s '$1 == c && $2 == s && $5 > 0 { print $3; exit }' %s", chain, shape, file)
last(chain, shape) = sprintf("awk -F, -v c='\"%s\"' -v s=%s '$1 == c && $2 == s && $5 > 0 { l = $3 } END { print l }' %s", chain, shape, file)
set multiplot
set xrange [0.3:44]; set lmargin at screen 0.2; set rmargin at screen 0.98; unset key; set style fill solid 0.9 noborder; set boxwidth 0.42
set title "Which of forty tokens each cut keeps" font ",16"
set tmargin at screen 0.93; set bmargin at screen 0.76
set ylabel "probability"; set yrange [0:0.8]; set ytics 0.2; set xtics format ""; set ytics nomirror
set label 1 "peaked: one token has 77 %" at 3.2,0.65 textcolor rgb blue
set label 2 "flat: the best has 7 %" at 14,0.22 textcolor rgb "#B07800"
plot file using (strcol(1) eq "top_k:10" && strcol(2) eq "peaked" ? $3 - 0.22 : NaN):4 with boxes lc rgb blue, \
     file using (strcol(1) eq "top_k:10" && strcol(2) eq "flat" ? $3 + 0.22 : NaN):4 with boxes lc rgb orange
unset label; unset title; unset ylabel
set tmargin at screen 0.73; set bmargin at screen 0.08
set xlabel "token, by falling probability"; set xtics ("1" 1, "10" 10, "20" 20, "30" 30, "40" 40) format "%g"
n = words(chains)
set yrange [n + 0.6:0.4]; set ytics scale 0 noenhanced; set grid x noy
set ytics ("" 0); do for [i = 1:n] { set ytics add (word(chains, i) i) }
do for [i = 1:n] {
  do for [shape in "peaked flat"] {
    y = shape eq "peaked" ? i - 0.19 : i + 0.19; tint = shape eq "peaked" ? blue : orange
    a = system(first(word(chains, i), shape)) + 0; b = system(last(word(chains, i), shape)) + 0
    set arrow from a - 0.45,y to b + 0.45,y nohead lw 9 lc rgb tint
    set label sprintf("%d", b - a + 1) at b + 1,y font ",12"
  }
}
plot NaN
unset multiplot
