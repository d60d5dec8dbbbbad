load "style.gp"
set terminal svg size 1000,820 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/roles.svg"
set style data histograms; set style histogram rowstacked; set style fill solid 0.85 border rgb "white"; set boxwidth 0.75
set yrange [0:109]; set ytics ("0 %%" 0, "50 %%" 50, "100 %%" 100); set xrange [-0.6:7.6]; set format x "%s"; unset key
file = data."/roles.csv"
row(l) = sprintf("< grep '^%d,' %s", l, file)
share(k) = 100.0 * column(k) / column(3)
set multiplot layout 3,1 title "Stories that go wrong when one head is silent, by kind of mistake: 500 stories for each head" font ",16"
do for [l=0:2] {
  set title sprintf("layer %d", l) font ",14"
  if (l == 1) { set key inside top right vertical samplen 1.5 font ",14" } else { unset key }
  plot row(l) using (share(9)):xtic(sprintf("%d.%d", $1, $2)) lc rgb gray title (l == 1 ? "form: no sentence of this world" : ""), \
       "" using (share(6)) lc rgb orange title (l == 1 ? "who: he or she" : ""), \
       "" using (share(5)) lc rgb red title (l == 1 ? "who: name, animal" : ""), \
       "" using (share(7)) lc rgb blue title (l == 1 ? "what: thing, or a fact on the card" : ""), \
       "" using ($0):(100 - share(4) + 5):(sprintf("%.0f", 100 - share(4))) with labels font ",12" notitle
}
unset multiplot
