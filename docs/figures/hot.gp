name = "hot"; high = 1150; file = data."/hot.csv"
heading = "After a temperature of 1.5 top-p, top-k, typical and top-a\nfail; after 0.7 every cut has a setting that works"
load "style.gp"
heats = "0.7 1 1.5"; lows = "0.9 0.6 0"; gaps = "0.0225 0.0425 0.066"; # of the scales: where each is dense
X0 = 66; X1 = 378
do for [h=1:3] {
  t = word(heats, h); Y0 = 96 + (h - 1) * 350; Y1 = Y0 + 285; @place
  above = (t eq "1" ? "stories told that are true, without a temperature" : "stories told that are true, after a temperature of ".t)
  set xlabel (h == 3 ? "true stories that the cut can still tell" : " ")
  heat = (t eq "1" ? "" : t); gap = real(word(gaps, h)); low = real(word(lows, h)); top = 1
  if (low > 0) { @cut_y } else { @uncut }
  load "cuts.gp"
}
unset multiplot
