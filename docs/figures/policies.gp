# policies.gp - two panels, one above the other, of what schedules do as the load grows: for load.gp, waste.gp, pieces.gp, shared.gp and servers.gp.
#   keys, shown, tints (and dashes, or all lines are whole): the schedules; field: the column of its name; x; column1, above1, column2, above2; set1, set2: the panels' axes; y1, y2: where names begin
pick(policy) = sprintf("< awk -F, '$%d == \"%s\"' '%s'", field, policy, file)
dash_of(k) = exists("dashes") ? dashes[k] : 1
X0 = 80; X1 = 396
do for [p=1:2] {
  Y0 = p == 1 ? 114 : 402; Y1 = Y0 + 212; @place
  eval panel(p == 1 ? above1 : above2); eval (p == 1 ? set1 : set2)
  c = p == 1 ? column1 : column2
  do for [k=1:words(keys)] {
    set label k + 10 shown[k] at graph 1.02,real(word(p == 1 ? y1 : y2, k)) tc rgb tints[k]
  }
  if (p == 2) { set xlabel under } else { set xlabel " " }
  plot for [k=1:words(keys)] pick(word(keys, k)) using x:c with linespoints pt 7 ps 0.7 lw 2 lc rgb tints[k] dt dash_of(k)
}
unset multiplot
