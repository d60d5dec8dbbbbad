name = "effects"; high = 880; file = data."/effects.csv"
heading = "Most cuts keep few tokens where the model is sure, and\nmany where it is not; top-k keeps ten of either"
load "style.gp"
chains = "top_k:10 top_p:0.9 min_p:0.1 typical:0.9 tfs:0.95 top_a:0.3 epsilon:0.02 eta:0.02 top_n_sigma:1 top_h:0.5 p_less xtc:1:t=0.05 mirostat:3 mirostat_v2:3"
# of the tokens that a chain keeps of a shape the first, and the last
first(chain, shape) = sprintf("awk -F, -v c='\"%s\"' -v s=%s '$1 == c && $2 == s && $5 > 0 { print $3; exit }' %s", chain, shape, file)
last(chain, shape) = sprintf("awk -F, -v c='\"%s\"' -v s=%s '$1 == c && $2 == s && $5 > 0 { l = $3 } END { print l }' %s", chain, shape, file)
set xrange [0.3:43]; X0 = 140; X1 = 508; set style fill solid 0.9 noborder; set boxwidth 0.42
Y0 = 106; Y1 = 230; @place; eval panel("probability of each of forty tokens")
set yrange [0:0.8]; set ytics ("0 %%" 0, "40 %%" 0.4, "80 %%" 0.8); set xtics ("" 1, "" 10, "" 20, "" 30, "" 40)
set label 3 "peaked: the first token has 77 %" at 2.4,0.7 tc rgb blue font ",14"
set label 4 "flat: the first token has 7 %" at 12,0.19 tc rgb orange font ",14"
plot file using (strcol(1) eq "top_k:10" && strcol(2) eq "peaked" ? $3 - 0.22 : NaN):4 with boxes lc rgb blue, \
     file using (strcol(1) eq "top_k:10" && strcol(2) eq "flat" ? $3 + 0.22 : NaN):4 with boxes lc rgb orange
unset label
Y0 = 276; Y1 = 824; @place
eval panel("tokens that each cut keeps, and their number (40: all)")
set xlabel "token, by falling probability"; set xtics ("1" 1, "10" 10, "20" 20, "30" 30, "40" 40)
n = words(chains)
set yrange [n + 0.6:0.4]; set ytics scale 0 noenhanced; set grid x noy
set ytics ("" 0); do for [i = 1:n] { set ytics add (word(chains, i) i) }
do for [i = 1:n] {
  do for [shape in "peaked flat"] {
    y = shape eq "peaked" ? i - 0.19 : i + 0.19; tint = shape eq "peaked" ? blue : orange
    a = system(first(word(chains, i), shape)) + 0; b = system(last(word(chains, i), shape)) + 0
    set arrow from a - 0.45,y to b + 0.45,y nohead lw 8 lc rgb tint
    set label sprintf("%d", b - a + 1) at b + 1,y font ",14" tc rgb ink
  }
}
plot NaN
unset multiplot
