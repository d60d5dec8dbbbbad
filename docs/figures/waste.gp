name = "waste"; high = 672; file = data."/waste.csv"
heading = "Filling a slot as soon as it is free: more tokens,\nand no waiting until the machine is full"
load "style.gp"
keys = "static continuous"; array shown[2] = ["static", "continuous"]; array tints[2] = [orange, blue]; field = 2; x = 4
column1 = 5; above1 = "tokens per second"; y1 = "0.65 0.9"
column2 = 6; above2 = "median time to the first token (log scale)"; y2 = "0.93 0.79"
set xrange [0:10.5]; set xtics 2; under = "requests a second"
set1 = "set yrange [0:*]; set ytics 1000"; set2 = "set logscale y; set yrange [1:200000]; set ytics ('1 ms' 1, '100 ms' 100, '10 s' 10000)"
load "policies.gp"
