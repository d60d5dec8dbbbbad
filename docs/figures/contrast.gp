load "style.gp"
set output out."/contrast.svg"
set title "Contrastive decoding against its expert and its amateur" noenhanced
set style data histogram; set style histogram cluster gap 1; set style fill solid 0.8; set yrange [0:1.05]
set ylabel "share"; set xtics noenhanced
plot data."/contrast.csv" using 2:xtic(1) lc rgb blue title "valid stories", "" using 4 lc rgb orange title "distinct 2-grams", "" using 7 lc rgb red title "repeated 4-grams"
