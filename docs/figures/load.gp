name = "load"; high = 672; file = data."/load.csv"
heading = "On a busy machine chunks halve the longest wait; beyond\nits limit no schedule helps"
load "style.gp"
keys = "static continuous chunked"; array shown[3] = ["static", "continuous", "chunked"]; array tints[3] = [orange, blue, green]; field = 2; x = 4
column1 = 7; above1 = "95 % wait less for the first token (log scale)"; y1 = "0.95 0.75 0.65"
column2 = 10; above2 = "longest wait for a next token (log scale)"; y2 = "0.3 0.9 0.6"
set logscale y; set xrange [0:46]; set xtics 10; under = "requests a second"
set1 = "set ytics ('10 ms' 10, '100 ms' 100, '1 s' 1000, '10 s' 10000)"; set2 = set1
load "policies.gp"
