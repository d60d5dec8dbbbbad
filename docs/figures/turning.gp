load "style.gp"
set output out."/turning.svg"
set title "Two equal vectors, moved apart by RoPE: their dot product"
set xlabel "distance in positions"; set ylabel "q . k (1 at the same position)"; unset key
plot data."/turning.csv" every ::1 using 1:2 with lines lw 2 lc rgb blue, 0 lc rgb gray dt 2
