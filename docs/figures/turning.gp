name = "turning"; high = 396; file = data."/turning.csv"
heading = "Two equal vectors moved apart agree less, in waves"
load "style.gp"
X0 = 66; X1 = 496; Y0 = 78; Y1 = 340; @place; eval panel("dot product")
set xlabel "distance in positions"; set xrange [0:256]; set xtics 64; set yrange [0:1]
plot file every ::1 using 1:2 with lines lw 2 lc rgb blue, 0 lc rgb axis dt 2
unset multiplot
