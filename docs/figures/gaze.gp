name = "gaze"; high = 620; file = data."/gaze.csv"
heading = "One head looks from a color's word at its square,\nif that is in the lower half"
load "style.gp"
best = system(sprintf("awk -F, '$1 == \"own\" { s[$3 \",\" $4] += $2 * $8 } END { for (h in s) if (s[h] > m) { m = s[h]; b = h } print b }' '%s'", file))
of(what, word) = sprintf("< awk -F, '$1 == \"%s\" && $5 == \"%s\" && (\"%s\" == \"square\" || $3 \",\" $4 == \"%s\")' '%s'", what, word, what, best, file)
unset border; unset grid; unset xtics; unset ytics; set yrange [3.5:-0.5]; set xrange [-0.5:3.5]
array word[3] = ["red", "green", "blue"]; array tint[3] = [red, green, blue]
shade(w) = int(255 * (1 - w)) * 16777216 + int(real("0x".ink[2:7])) # ink, as opaque as the weight is large
set object 1 rect from graph 0,0 to graph 1,1 fs empty border lc rgb axis
do for [p=1:3] {
  X0 = 24 + (p - 1) * 166; X1 = X0 + 140; Y0 = 118; Y1 = Y0 + 140; @place; eval panel("from “".word[p]."”")
  plot of("all", word[p]) using 6:7:($6 - 0.5):($6 + 0.5):($7 - 0.5):($7 + 0.5):(shade($8)) with boxxyerror fs solid 1 noborder lc rgb variable, \
       for [k=1:3] of("square", word[k]) using 6:7:($6 - 0.2):($6 + 0.2):($7 - 0.2):($7 + 0.2) with boxxyerror fs solid 1 noborder lc rgb tint[k]
}
own = sprintf("< awk -F, '$1 == \"own\" && $3 \",\" $4 == \"%s\"' '%s'", best, file)
X0 = 24; X1 = 304; Y0 = 312; Y1 = 592; @place; eval panel("400 pictures: mean weight on the word's square, by its place")
plot own using 6:7:($6 - 0.5):($6 + 0.5):($7 - 0.5):($7 + 0.5):(shade(0.6 * $8)) with boxxyerror fs solid 1 noborder lc rgb variable, \
     own using 6:7:(sprintf("%.2f", $8)) with labels font ",16" tc rgb ink
unset multiplot
