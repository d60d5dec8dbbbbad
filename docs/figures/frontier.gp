name = "frontier"; high = 660; file = data."/frontier.csv"
heading = "Of the cuts that tell more than 99 % true, epsilon\nforbids the fewest true stories"
load "style.gp"
set clip two
X0 = 66; X1 = 384; Y0 = 96; Y1 = 600; @place; @cut_y
set xlabel "true stories that the cut can still tell"
heat = ""; gap = 0.034; low = 0.6; top = 1; above = "stories told that are true"; load "cuts.gp"
unset multiplot
