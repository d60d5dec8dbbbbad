# style.gp - what all figures share: size, lines, colours.  The colours are those of Okabe & Ito, told apart with any
# kind of colour vision; each sampler keeps its own everywhere.
set datafile separator ","
set terminal svg size 900,560 dynamic enhanced background rgb "white" font "sans-serif,14"
set border 3 lc rgb "#666666"
set tics nomirror
set grid lc rgb "#dddddd" lw 0.5
set key above center horizontal noenhanced samplen 2.5
blue = "#0072B2"; orange = "#E69F00"; green = "#009E73"; red = "#D55E00"
purple = "#CC79A7"; sky = "#56B4E9"; yellow = "#B8A800"; black = "#222222"; gray = "#999999"
# The rows of a table of chains whose line begins so, from the least that they could tell to the most, for a line through them.
by_kept(start, file) = sprintf("< grep '^%s' '%s' | sort -t, -k7,7g -k4,4gr", start, file)
color_temp = red; color_top_k = orange; color_top_p = blue; color_min_p = green; color_typical = purple
color_top_n_sigma = sky; color_mirostat = yellow; color_greedy = black
