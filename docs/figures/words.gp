load "style.gp"
set terminal svg size 900,430 dynamic enhanced background rgb "white" font "sans-serif,14"
set output out."/words.svg"
file = data."/words.csv"
kind(i) = i == 1 ? "stories" : i == 2 ? "other words" : i == 3 ? "numbers" : i == 4 ? "accents" : "other script"
rule(i) = i == 1 ? "bytes" : i == 2 ? "scores" : i == 3 ? "unigram" : i == 4 ? "wordpiece" : "longest"
shade(i) = i == 1 ? 0x0072B2 : i == 2 ? 0x56B4E9 : i == 3 ? 0xE69F00 : i == 4 ? 0xD55E00 : 0x009E73
place(s) = s eq "stories" ? 1 : s eq "other words" ? 2 : s eq "numbers" ? 3 : s eq "accents" ? 4 : 5
set multiplot layout 1,2 title "Five vocabularies of a thousand tokens" font ",16"
set bmargin at screen 0.27; set tmargin at screen 0.83
set xrange [0.5:5.5]; set xtics ("stories" 1, "other\nwords" 2, "numbers" 3, "accents" 4, "other\nscript" 5) scale 0 font ",12"
set boxwidth 0.15; set style fill solid noborder; unset grid; set grid y
set lmargin at screen 0.06; set rmargin at screen 0.48; set yrange [0:9]
set key at screen 0.5,0.07 center horizontal maxcols 5 samplen 1 font ",12"
set title "tokens per word" font ",14"
plot for [i=1:5] file using (strcol(2) eq rule(i) ? place(strcol(1)) + (i - 3) * 0.16 : 1/0):($4/$3) with boxes lc rgb shade(i) title rule(i)
unset key
set lmargin at screen 0.56; set rmargin at screen 0.98; set yrange [0:100]
set title "words of a hundred that come back: exactly, and (pale) normalised" font ",14"
plot for [i=1:5] file using (strcol(2) eq rule(i) ? place(strcol(1)) + (i - 3) * 0.16 : 1/0):(100*($5+$6)/$3) with boxes fs solid 0.35 noborder lc rgb shade(i) notitle, \
     for [i=1:5] file using (strcol(2) eq rule(i) ? place(strcol(1)) + (i - 3) * 0.16 : 1/0):(100*$5/$3) with boxes lc rgb shade(i) notitle
unset multiplot
