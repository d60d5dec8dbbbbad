name = "frontier-wide"; high = 660; file = data."/frontier-wide.csv"
heading = "With a long tail min-p, epsilon and eta stay above top-p\nand typical, and top-k is no better than these"
load "style.gp"
set clip two
X0 = 66; X1 = 380; Y0 = 96; Y1 = 600; @place; @cut_y
set xlabel "true stories that the cut can still tell"
heat = ""; gap = 0.024; low = 0.15; top = 0.85; above = "stories told that are true"; load "cuts.gp"
unset multiplot
