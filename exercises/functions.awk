# The functions of C files, for hollow and graft, which begin with it:  awk -f functions.awk -f graft FILE...
#
# A function begins in column 0 and ends with a brace in column 0, or stands in one line; that is how all of Strata is written.
FNR == 1 { file++ }
{ line[file, FNR] = $0; lines[file] = FNR }

# The function whose definition begins in this line, or "".
function name_of(f, i, text) {
    text = line[f, i]
    if (text !~ /^[A-Za-z_].*\(/ || text ~ /;[ \t]*$/ || text ~ /^typedef/) return ""
    gsub(/__attribute__\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", text)
    sub(/[ \t]*\(.*/, "", text)
    for (; i <= lines[f] && line[f, i] !~ /\{/; i++) if (line[f, i] ~ /;[ \t]*$/) return "" # only declared
    return match(text, /[A-Za-z_][A-Za-z0-9_]*$/) && text ~ /[ *]/ ? substr(text, RSTART) : ""
}
function last_line(f, i) {
    if (line[f, i] ~ /\{.*\}[ \t]*$/) return i
    while (i < lines[f] && line[f, i] !~ /^\}/) i++
    return i
}
