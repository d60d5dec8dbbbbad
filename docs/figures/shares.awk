# A column NAME_error (a standard error of the share NAME, in the column before it) becomes the ends of Wilson's interval; a number is put in front of each row.
#   awk -F, -f wilson.awk -f shares.awk FILE
/^#/ { next }
!seen { for (i = 1; i <= NF; i++) if ($i ~ /_error$/) at = i; seen = 1; next }
{
    p = $(at - 1); n = p > 0 && p < 1 && $at > 0 ? of_error(p, $at) : $2 > 1 ? $2 : 1
    line = ++row
    for (i = 1; i < at; i++) line = line "," $i
    printf "%s,%.5f,%.5f\n", line, wilson(p, n, -1), wilson(p, n, 1)
}
