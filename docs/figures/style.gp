# style.gp - the one style of all figures: docs/appendix/figures.md says what it asks for.
# A figure sets   name, high (pixels), heading (the finding, one or two lines), and loads this file; then it places its panels in pixels:
#   X0 = 60; X1 = 500; Y0 = 80; Y1 = 300; @place; plot ...
wide = 520 # of every figure: the text is legible at 390 pixels, too
if (!exists("format")) format = "svg"
load out."/colors.gp" # from docs/assets/look.css: the only table of colours
set datafile separator ","
if (format eq "svg") set terminal svg size wide,high dynamic enhanced background rgb "white" font "sans-serif,15"
if (format eq "png") set terminal pngcairo size 2 * wide,2 * high enhanced background rgb "white" font "sans-serif,15" fontscale 1.5 linewidth 2 pointscale 2
if (format eq "pdf") set terminal pdfcairo size wide / 96.0,high / 96.0 enhanced font "sans-serif,15" fontscale 0.75 linewidth 0.75 pointscale 0.75
set output sprintf("%s/%s.%s", out, name, format)
place = 'set lmargin at screen real(X0) / wide; set rmargin at screen real(X1) / wide; set tmargin at screen 1 - real(Y0) / high; set bmargin at screen 1 - real(Y1) / high'
bold(text) = (strstrt(text, "\n") ? "{/:Bold ".text[1:strstrt(text, "\n") - 1]."}\n".bold(text[strstrt(text, "\n") + 1:*]) : "{/:Bold ".text."}")
# The finding, at the top left, above all panels.
set multiplot
X0 = 0; X1 = wide; Y0 = 0; Y1 = high; @place
unset border; unset tics; unset key
set label 1 bold(heading) at screen 0.012,1 - 24.0 / high left font ",17" tc rgb ink
plot [0:1] [0:1] NaN
unset label 1
set border 3 lc rgb axis
set tics nomirror scale 0.5 font ",14" tc rgb ink
set xtics nomirror; set ytics nomirror
set grid lc rgb grid lw 0.5
set xlabel font ",14" offset 0,0.4 tc rgb ink; set ylabel font ",14" tc rgb ink
set bars 0
# The title of a panel, at its left edge.
panel(text) = sprintf('set label 2 "%s" at graph 0,1 left offset 0,0.7 noenhanced font ",15" tc rgb ink', text)
# An axis that does not begin at 0 where a reader would think so: two strokes across its foot (label 97 hides the line between them).
cut_y = 'set arrow 97 from graph -0.014,0.022 to graph 0.014,0.038 nohead lc rgb axis lw 1.5 front; set arrow 98 from graph -0.014,0.04 to graph 0.014,0.056 nohead lc rgb axis lw 1.5 front'
uncut = 'unset arrow 97; unset arrow 98'
# Wilson's interval of 95 % of a share p of n: its lower end for side -1, its upper for 1.  wilson.awk says the same to the tables.
wilson(p, n, side) = (p + 1.9208 / n + side * 1.96 * sqrt(p * (1 - p) / n + 0.9604 / n / n)) / (1 + 3.8416 / n)
percent = '("0 %%" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "100 %%" 1)'
# Shares near 100 %, which matter most, are spread: the square root of what is missing.
spread(x) = -sqrt(1 - (x > 1 ? 1 : x)); gathered(y) = 1 - (y > 0 ? 0 : y * y)
