name = "pieces"; high = 672; file = data."/pieces.csv"
heading = "In chunks a long prompt no longer stops the others;\nits own first token comes later"
load "style.gp"
keys = "continuous chunked"; array shown[2] = ["read whole", "in chunks"]; array tints[2] = [red, green]; field = 3; x = 1
column1 = 11; above1 = "longest wait for a next token (log scale)"; y1 = "0.97 0.44"
column2 = 7; above2 = "median time to the first token (log scale)"; y2 = "0.69 0.78"
set logscale xy; set xrange [100:5000]; set yrange [5:6000]; set xtics ("125" 125, "500" 500, "2000" 2000); under = "tokens of a prompt (log scale)"
set1 = "set ytics ('10 ms' 10, '100 ms' 100, '1 s' 1000)"; set2 = set1
load "policies.gp"
