name = "cure"; high = 470; file = data."/cure.csv"
heading = "no\\_repeat:4 ends all loops, and breaks half of the stories\nthat do not loop; dry:0.8 ends most, and breaks few"
load "style.gp"
set border 1; set grid x noy; set yrange [9.6:0.4]; Y0 = 112; Y1 = 384
chains = "greedy penalties:rep=1.1 penalties:rep=1.3 penalties:rep=1.8 dry:0.4 dry:0.8 dry:3 no_repeat:4 top_p:0.9"
shown = "none(greedy) rep=1.1 rep=1.3 rep=1.8 dry:0.4 dry:0.8 dry:3 no_repeat:4 top_p:0.9"
at(tail) = (sum [k=1:9] (strcol(1) eq word(chains, k).tail ? k : 0))
looping(x) = strcol(2) eq "draft" ? at(" greedy") + at("") : 0
healthy(x) = strcol(2) eq "storyteller" ? at(" min_p:0.1") + (strcol(1) eq "min_p:0.1" ? 1 : 0) : 0
set ytics ("none" 1) scale 0 noenhanced
do for [k=2:9] { set ytics add (word(shown, k) k) }
# Repetition is a mean of shares: Wilson's interval for as many trials as give its standard error (the stored interval is 1.96 of them each way).
trials(p, low) = p * (1 - p) / ((p - low) / 1.96) ** 2
X0 = 96; X1 = 210; @place; eval panel("repeated 4-grams")
set xlabel "share, draft model"; set xrange [0:0.45]; set xtics ("0" 0, "20 %%" 0.2, "40 %%" 0.4)
plot file using (looping(0) ? $10 : NaN):(looping(0)):(wilson($10, trials($10, $11), -1)):(wilson($10, trials($10, $11), 1)) with xerrorbars pt 7 ps 0.6 lw 2 lc rgb red
set ytics ("" 1)
X0 = 246; X1 = 356; @place; eval panel("true stories")
set xlabel "share, storyteller"; set xrange [0:1.04]; set xtics ("0" 0, "50 %%" 0.5, "100 %%" 1)
set label 4 "not measured" at 0.04,4 font ",14" tc rgb gray; set label 5 "not measured" at 0.04,5 font ",14" tc rgb gray; set label 6 "not measured" at 0.04,9 font ",14" tc rgb gray
plot file using (healthy(0) ? $4 : NaN):(healthy(0)):5:6 with xerrorbars pt 7 ps 0.6 lw 2 lc rgb blue
unset label 4; unset label 5; unset label 6
X0 = 392; X1 = 500; @place; eval panel("still possible")
set xlabel "share of true ones"
plot file using (healthy(0) ? $7 : NaN):(healthy(0)):8:9 with xerrorbars pt 7 ps 0.6 lw 2 lc rgb blue
unset multiplot
