name = "shared"; high = 672; file = data."/shared.csv"
heading = "A prefix that many prompts share is read once, and kept\nonce"
load "style.gp"
keys = "each once"; array shown[2] = ["for each", "once"]; array tints[2] = [orange, green]; field = 2; x = 1
column1 = 8; above1 = "median time to the first token, ms"; y1 = "0.9 0.2"
column2 = 16; above2 = "pages in use, maximum"; y2 = "0.9 0.3"
set xrange [-10:400]; set xtics 100; set yrange [0:*]; under = "tokens of the shared prefix"; set1 = "set ytics 1000"; set2 = "set ytics 100"
load "policies.gp"
