name = "tail"; high = 560; file = data."/tail.csv"
heading = "Of English all cuts leave about the same surprise,\nif they allow as many words"
load "style.gp"
X0 = 66; X1 = 380; Y0 = 102; Y1 = 500; @place; @cut_y; eval panel("mean surprisal of what is left, bits a word")
set xlabel "words of other pages that are still possible"
set xrange [0.4:0.9]
do for [i=0:1] { set arrow 95 + i from graph 0.024 + 0.014 * i,-0.012 to graph 0.034 + 0.014 * i,0.012 nohead lc rgb axis lw 1.5 front } # this axis is cut, too
set yrange [4.4:7.1]; set ytics 0.5
set xtics ("40 %%" 0.4, "60 %%" 0.6, "80 %%" 0.8)
names = "top_p min_p top_k top_n_sigma epsilon eta typical tfs top_a"
array tint[9] = [color_top_p, color_min_p, color_top_k, color_top_n_sigma, color_epsilon, color_eta, color_typical, color_tfs, color_top_a]
array dash[9] = [1, 1, 1, 4, 1, 2, 4, 2, 2] # as in cuts.gp
family(n) = sprintf("< awk -v want='kept kept_low kept_high surprisal' -v rows='^%s:' -f pick.awk '%s' | sort -t, -k2,2g", n, file)
# One setting of each has a name at the right, moved apart from the others, with a line to its point.
shown = "^(top_p:0.9|min_p:0.05|top_k:40|top_n_sigma:1|epsilon:0.002|eta:0.005|typical:0.9|tfs:0.95|top_a:0.2)$"
ends = system(sprintf("awk -v want='surprisal kept_low kept_high kept' -v rows='%s' -f pick.awk '%s' | awk -F, -v right=0.905 -v gap=0.13 -v ceiling=7 -v floor=4.5 -f apart.awk -f priced.awk", shown, file))
shade(chain) = (sum [k=1:9] (chain[1:strlen(word(names, k)) + 1] eq word(names, k).":" ? k : 0))
do for [i=0:words(ends) / 4 - 1] {
  chain = word(ends, 4 * i + 1); paint = tint[shade(chain)]
  set arrow i + 10 from real(word(ends, 4 * i + 2)),real(word(ends, 4 * i + 3)) to 0.905,real(word(ends, 4 * i + 4)) nohead lw 0.8 dt 3 lc rgb paint
  set label i + 10 chain at 0.912,real(word(ends, 4 * i + 4)) left noenhanced tc rgb paint font ",14"
}
plot for [i=1:9] family(word(names, i)) using 2:5:3:4 with xerrorbars pt 7 ps 0.25 lw 2.2 lc rgb tint[i], \
     for [i=1:9] family(word(names, i)) using 2:5 with lines lw 1.6 dt dash[i] lc rgb tint[i]
unset multiplot
