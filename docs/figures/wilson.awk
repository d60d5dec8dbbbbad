# Wilson's interval of 95 % of a share p of n, which stays between 0 and 1: wilson(p, n, -1) is its lower end, wilson(p, n, 1) its upper end.
# of_error(p, e): how many independent trials would have the standard error e; a mean of shares or of weighted texts has no other n.
function wilson(p, n, side,   z) { z = 1.959964; return (p + z * z / (2 * n) + side * z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n) }
function of_error(p, e) { return p * (1 - p) / (e * e) }
