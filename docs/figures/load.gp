name = "load"; high = 672; file = data."/load.csv"
heading = "Chunks shorten the longest wait for a next token; beyond\nthe machine's limit all wait for the first"
load "style.gp"
keys = "static continuous chunked"; array shown[3] = ["static", "continuous", "chunked"]; array tints[3] = [orange, blue, green]; field = 2; x = 4
column1 = 7; above1 = "95 % wait less for the first token (log scale)"; y1 = "0.94 0.75 0.845"
column2 = 10; above2 = "longest wait for a next token (log scale)"; y2 = "0.86 0.765 0.63"
set logscale y; set xrange [0:46]; set xtics 10; under = "requests a second"
set1 = "set yrange [10:100000]; set ytics ('10 ms' 10, '100 ms' 100, '1 s' 1000, '10 s' 10000)"; set2 = "set yrange [0.1:1000]; set ytics ('1 ms' 1, '10 ms' 10, '100 ms' 100, '1 s' 1000)"
load "policies.gp"
