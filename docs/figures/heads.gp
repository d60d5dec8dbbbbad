load "style.gp"
set terminal svg size 1100,620 dynamic enhanced background rgb "white" font "sans-serif,12"
set output out."/heads.svg"
words = "Once upon a time there was a little"
set palette defined (0 "#ffffff", 0.3 "#9ecae1", 0.7 "#2171b5", 1 "#08306b")
set cbrange [0:1]; unset colorbox; unset key; unset grid
set xrange [-0.5:7.5]; set yrange [7.5:-0.5]; set tics font ",16"; set title font ",16" # a multiplot of eight shrinks them
set for [i=1:8] xtics add (word(words, i) i - 1) rotate by 45 right
set for [i=1:8] ytics add (word(words, i) i - 1)
set multiplot layout 2,4 title "Who attends to whom: eight heads of the first layer (row: the query, column: the key)" font ",15"
do for [head=0:7] {
  set title sprintf("head %d", head)
  plot sprintf("< awk -F, '$1 == %d' %s/heads.csv", head, data) using 3:2:4 with image pixels
}
unset multiplot
