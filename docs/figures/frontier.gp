name = "frontier"; high = 660; file = data."/frontier.csv"
heading = "Epsilon is on top: no other cut tells truer stories and\nforbids as few of the true ones"
load "style.gp"
set clip two
X0 = 66; X1 = 384; Y0 = 96; Y1 = 600; @place; @cut_y
set xlabel "true stories that the cut can still tell"
heat = ""; gap = 0.034; low = 0.6; above = "stories told that are true"; load "cuts.gp"
unset multiplot
