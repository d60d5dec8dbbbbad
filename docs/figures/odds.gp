name = "odds"; high = 660
heading = "Below a temperature of 1 more stories are true, but their\nodds are farther from the truth; above it fewer are true"
load "style.gp"
file = sprintf("< awk -v want='valid valid_low valid_high kl_truth kl_truth_low kl_truth_high kl_told kl_told_low kl_told_high' -v rows='^(draw|temp:[0-9.]+)$' -f pick.awk '%s/odds.csv' | sed 's/^.draw/\"temp:1/' | sort -t: -k2 -g", data)
t(x) = real(strcol(1)[6:*])
set xrange [0:1.6]; set xtics 0,0.5; X0 = 66; X1 = 400
Y0 = 114; Y1 = 326; @place; eval panel("stories that are true"); set yrange [0:1]; set ytics @percent; set xlabel " "
plot file using (t(0)):2:3:4 with yerrorbars pt 7 ps 0.7 lw 2 lc rgb color_temp, file using (t(0)):2 with lines lw 2 lc rgb color_temp
Y0 = 398; Y1 = 604; @place; eval panel("distance from the language, nats a story"); set yrange [0:13]; set ytics 4; set xlabel "temperature"
set label 3 "KL(truth | chain)" at 0.4,8.2 tc rgb color_temp; set label 4 "KL(chain |\ntruth)" at 0.02,4.3 left tc rgb blue
plot file using ($5 > 0 ? t(0) : NaN):5:6:7 with yerrorbars pt 7 ps 0.7 lw 2 lc rgb color_temp, file using ($5 > 0 ? t(0) : NaN):5 with lines lw 2 lc rgb color_temp, \
     file using ($5 > 0 ? t(0) : NaN):8:9:10 with yerrorbars pt 7 ps 0.7 lw 2 lc rgb blue, file using ($5 > 0 ? t(0) : NaN):8 with lines lw 2 lc rgb blue
unset multiplot
