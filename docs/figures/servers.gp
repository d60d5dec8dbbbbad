name = "servers"; high = 672; file = data."/servers.csv"
heading = "More clients: Strata writes more tokens,\nand its longer gaps stay short"
load "style.gp"
keys = "strata simulated llama-server"; array shown[3] = ["Strata", "simulated", "llama.cpp"]; array tints[3] = [blue, green, red]; array dashes[3] = [1, 2, 1]; field = 1; x = 2
column1 = 3; above1 = "tokens a second, of all clients together"; y1 = "0.96 0.86 0.14"
column2 = 7; above2 = "95 % of the gaps between tokens are shorter (log scale)"; y2 = "0.27 0.17 0.77"
set logscale x 2; set xrange [0.9:70]; set xtics ("1" 1, "4" 4, "16" 16, "64" 64); under = "clients at once (log scale)"
set1 = "set yrange [0:*]"; set2 = "set logscale y; set yrange [5:10000]; set ytics ('10 ms' 10, '100 ms' 100, '1 s' 1000, '10 s' 10000)"
load "policies.gp"
