# Columns of a table by the names in its head, as rows that gnuplot reads: chain (its commas: spaces), then the wanted ones.
#   awk -v want="kept valid" [-v rows=REGEX] -f pick.awk FILE
BEGIN { FS = ","; wanted = split(want, names, " "); if (rows == "") rows = "." }
{ first = $1; rest = $0 }
/^#/ { next }
match($0, /^"[^"]*"/) { first = substr($0, 2, RLENGTH - 2); rest = "x" substr($0, RLENGTH + 1); gsub(/,/, " ", first) }
!seen { for (i = 1; i <= NF; i++) at[$i] = i; seen = 1; for (i = 1; i <= wanted; i++) if (!(names[i] in at)) { print "pick.awk: no column " names[i] > "/dev/stderr"; exit 1 }; next }
first ~ rows { split(rest, cell, ","); line = "\"" first "\""; for (i = 1; i <= wanted; i++) line = line "," cell[at[names[i]]]; print line }
