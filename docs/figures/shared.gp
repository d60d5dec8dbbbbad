name = "shared"; high = 672; file = data."/shared.csv"
heading = "When a shared prefix is read only once, the first\ntoken comes sooner and fewer pages are needed"
load "style.gp"
keys = "each once"; array shown[2] = ["each reads it", "read once"]; array tints[2] = [orange, green]; field = 2; x = 1
column1 = 8; above1 = "median time to the first token (log scale)"; y1 = "0.89 0.18"
column2 = 16; above2 = "pages in use, maximum"; y2 = "0.91 0.42"
set xrange [-10:400]; set xtics 100; under = "tokens of the shared prefix"; set1 = "set logscale y; set yrange [10:5000]; set ytics ('10 ms' 10, '100 ms' 100, '1 s' 1000)"
set2 = "unset logscale y; set yrange [0:200]; set ytics auto; set ytics 100"
load "policies.gp"
