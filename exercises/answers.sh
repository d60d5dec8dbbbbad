# The answers of predict and plot exercises: read as a person writes them, compared as numbers.  Sourced by desk and check.

# An answer as the graders read it: small letters, no full stop, no commas between thousands; a number with one of the units of the
# exercise ("ms,s=1000": the first is the one it asks for) becomes the plain number, and any other words are left as they are.
plain_answer() { # plain_answer ANSWER UNITS
    printf '%s\n' "$1" | awk -v units="$2" '
        BEGIN { for (i = split("zero one two three four five six seven eight nine ten", word, " "); i; i--) worth[word[i]] = i - 1; worth["none"] = worth["nothing"] = 0 }
        {
            a = tolower($0); gsub(/^[ \t"]+|[ \t".!]+$/, "", a); sub(/^((about|at|~|=)[ \t]*)+/, "", a)
            for (w in worth) if (a ~ "^" w "( |$)") sub("^" w, worth[w], a)
            if (a ~ /^[-+]?[0-9][0-9]?[0-9]?([,_ ][0-9][0-9][0-9])+([^0-9]|$)/)
                while (a ~ /^[-+]?[0-9]+[,_ ][0-9][0-9][0-9]/) sub(/[,_ ]/, "", a)
            number = "[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?"
            for (i = split(tolower(units), unit, ","); i; i--) {
                factor = index(unit[i], "=") ? substr(unit[i], index(unit[i], "=") + 1) : 1
                sub(/=.*/, "", unit[i])
                if (a ~ "^" number "[ ]*" unit[i] "$") { a = sprintf("%.15g", factor * a); break }
                if (a ~ "^" unit[i] "[ ]+" number "$") { sub(/^[^ ]+[ ]+/, "", a); a = sprintf("%.15g", factor * a); break }
            }
            print a }'
}

# Are two answers one?  As numbers, which may differ by a hundredth unless the third word is "exact"; else as words.
same_answer() {
    awk -v a="$1" -v b="$2" -v how="$3" 'BEGIN {
        if (a "" == b "") exit 0
        number = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?$"
        if (a !~ number || b !~ number) exit 1
        d = a - b
        exit !((d < 0 ? -d : d) <= (b < 0 ? -b : b) / (how == "exact" ? 1e9 : 100)) }'
}

# What is said to a wrong answer: the row of answers.txt with that number, or the hint.
hint_for() { # hint_for NUMBER ANSWER
    cat layer*/exercise/answers.txt | grep "^$1 | [^r]" >"$OUT/slips"
    while IFS= read -r line; do
        slip=${line#* | }
        if same_answer "$2" "${slip%% | *}"; then say "${slip#* | }"; return; fi
    done <"$OUT/slips"
    case $2 in
    [0-9]*[a-z%]*) say "A number with another unit than the one asked for (known here: $(field "$1" 7 | sed 's/=[^,]*//g; s/,/, /g')).  $(first_hint "$1")" ;;
    *) first_hint "$1" ;;
    esac
}

# Compare an answer with what the command prints.
check_answer() {
    given=$(sed -n 's/^ANSWER: *//p' "$2" | tail -1)
    [ -n "$given" ] || return 77
    given=$(plain_answer "$given" "$(field "$1" 7)")
    same_answer "$given" "$(sh -c "$(field "$1" 6)")" "$(field "$1" 8)" || {
        say "  hint: $(hint_for "$1" "$given")"
        return 1
    }
}

