name = "heads"; high = 1000; file = data."/heads.csv"
heading = "Each head of the first layer attends in its own way"
load "style.gp"
words = "Once upon a time there was a little"
set grid front; unset grid; set border 0; set tics scale 0; set style fill solid noborder
set xrange [-0.5:7.5]; set yrange [7.5:-0.5]
set for [i=1:8] xtics add (word(words, i) i - 1) rotate by 45 right
set label 3 "row: query; column: key; weight of a key: 0" at screen 308.0 / wide,1 - 60.0 / high right font ",14" tc rgb ink
do for [i=0:20] { set object i + 1 rectangle from screen (314 + 7.0 * i) / wide,1 - 66.0 / high to screen (321 + 7.0 * i) / wide,1 - 54.0 / high fc rgb (int((1 - i / 20.0) * 255) * 16777216 + 0x0b62c4) fs solid noborder }
set label 4 "1" at screen 468.0 / wide,1 - 60.0 / high left font ",14" tc rgb ink
do for [head=0:7] {
  X0 = head % 2 ? 300 : 66; X1 = X0 + 200; Y0 = 108 + (head / 2) * 214; Y1 = Y0 + 176; @place
  eval panel(sprintf("head %d", head))
  if (head % 2) { set for [i=1:8] ytics add ("" i - 1) } else { set for [i=1:8] ytics add (word(words, i) i - 1) }
  if (head < 6) { set for [i=1:8] xtics add ("" i - 1) } else { set for [i=1:8] xtics add (word(words, i) i - 1) rotate by 45 right }
  plot sprintf("< awk -F, '$1 == %d' %s", head, file) using 3:2:($3 - 0.5):($3 + 0.5):($2 - 0.5):($2 + 0.5):(int((1 - $4) * 255) * 16777216 + 0x0b62c4) with boxxyerror lc rgb variable
  unset label 3; unset label 4; unset object
}
unset multiplot
