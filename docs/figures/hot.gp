name = "hot"; high = 1150; file = data."/hot.csv"
heading = "After a high temperature top-p, top-k, typical and top-a\nfail; after a low one every cut works"
load "style.gp"
heats = "0.7 1 1.5"; X0 = 66; X1 = 378
do for [h=1:3] {
  t = word(heats, h); Y0 = 96 + (h - 1) * 350; Y1 = Y0 + 285; @place
  above = (t eq "1" ? "stories told that are true, without a temperature" : "stories told that are true, after a temperature of ".t)
  set xlabel (h == 3 ? "true stories that the cut can still tell" : " ")
  heat = (t eq "1" ? "" : t); gap = 0.066; low = 0; load "cuts.gp"
}
unset multiplot
