name = "odds"; high = 660
heading = "Below a temperature of 1 more stories are true, but their\nodds are farther from the truth; above it fewer are true"
load "style.gp"
file = sprintf("< awk -v want='valid valid_low valid_high kl_truth kl_truth_low kl_truth_high kl_told kl_told_low kl_told_high' -v rows='^(draw|temp:[0-9.]+)$' -f pick.awk '%s/odds.csv' | sed 's/^.draw/\"temp:1/' | sort -t: -k2 -g", data)
t(x) = real(strcol(1)[6:*])
set xrange [0:1.6]; set xtics 0,0.5; X0 = 66; X1 = 400
Y0 = 114; Y1 = 326; @place; eval panel("stories that are true"); set yrange [0:1]; set ytics @percent; set xlabel " "
bars = 'with vectors nohead lw 2 lc rgb'; points = 'with linespoints pt 7 ps 0.7 lw 2 lc rgb'
plot file using (t(0)):3:(0):($4 - $3) @bars color_temp, file using (t(0)):2 @points color_temp
Y0 = 398; Y1 = 604; @place; eval panel("distance from the language, nats a story"); set yrange [0:13]; set ytics 4; set xlabel "temperature"
set label 3 "KL(truth | chain)" at 0.4,8.2 tc rgb color_temp; set label 4 "KL(chain |\ntruth)" at 0.03,3.2 left font ",14" tc rgb blue
measured(x) = $5 > 0 ? t(0) : NaN
plot file using (measured(0)):6:(0):($7 - $6) @bars color_temp, file using (measured(0)):5 @points color_temp, \
     file using (measured(0)):9:(0):($10 - $9) @bars blue, file using (measured(0)):8 @points blue
unset multiplot
