name = "turning"; high = 420; file = data."/turning.csv"
heading = "Moved apart by RoPE, two equal vectors agree less and\nless, in waves"
load "style.gp"
X0 = 66; X1 = 496; Y0 = 102; Y1 = 364; @place; eval panel("dot product")
set xlabel "distance in positions"
plot file every ::1 using 1:2 with lines lw 2 lc rgb blue, 0 lc rgb axis dt 2
unset multiplot
