load "style.gp"
set output out."/guess.svg"
set title "Speculative decoding: acceptance and tokens per forward pass, by length of the draft" noenhanced
set xlabel "tokens in a draft"; set ylabel "tokens per pass; speed-up"; set y2label "share of drafted tokens accepted"
set border 11; set ytics nomirror; set y2tics; set yrange [0:*]; set y2range [0:1.05]
rows(n) = "< grep ',".n.",' ".data."/guess.csv"
plot rows("draft") using 1:4 with linespoints pt 7 lw 2 lc rgb blue title "tokens per pass, draft", \
     rows("lookup") using 1:4 with linespoints pt 7 lw 2 lc rgb orange title "tokens per pass, lookup", \
     rows("draft") using 1:5 with linespoints pt 5 lw 2 dt 2 lc rgb blue title "speed-up, draft", \
     rows("lookup") using 1:5 with linespoints pt 5 lw 2 dt 2 lc rgb orange title "speed-up, lookup", \
     rows("draft") using 1:3 axes x1y2 with lines lw 2 lc rgb gray title "accepted, draft (right)"
