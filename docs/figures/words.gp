name = "words"; high = 860; file = data."/words.csv"
heading = "Bytes spell any word, in more tokens; Unigram and\nWordPiece lose a script that they never saw"
load "style.gp"
array rule[5] = ["bytes", "scores", "unigram", "wordpiece", "longest"]; array shade[5] = [blue, gray, orange, purple, green]
place_of(s) = s eq "stories" ? 1 : s eq "other words" ? 2 : s eq "numbers" ? 3 : s eq "accents" ? 4 : 5
set xrange [0.5:5.5]; set xtics ("stories" 1, "other\nwords" 2, "numbers" 3, "accents" 4, "other\nscript" 5) scale 0
set boxwidth 0.15; set style fill solid noborder; set grid y nox; X0 = 66; X1 = 500
do for [i=1:5] { set label 10 + i rule[i] at screen 0.1 + 0.18 * (i - 1),1 - 92.0 / high tc rgb shade[i] }
Y0 = 142; Y1 = 402; @place; eval panel("tokens per word"); set yrange [0:9]; set ytics 3
plot for [i=1:5] file using (strcol(2) eq rule[i] ? place_of(strcol(1)) + (i - 3) * 0.16 : 1/0):($4/$3) with boxes lc rgb shade[i]
do for [i=1:5] { unset label 10 + i }
Y0 = 512; Y1 = 772; @place; eval panel("words that come back: exactly, and (pale) normalized"); set yrange [0:1]; set ytics @percent
plot for [i=1:5] file using (strcol(2) eq rule[i] ? place_of(strcol(1)) + (i - 3) * 0.16 : 1/0):(1.0*($5+$6)/$3) with boxes fs solid 0.35 noborder lc rgb shade[i], \
     for [i=1:5] file using (strcol(2) eq rule[i] ? place_of(strcol(1)) + (i - 3) * 0.16 : 1/0):(1.0*$5/$3) with boxes lc rgb shade[i]
unset multiplot
