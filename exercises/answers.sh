# The answers of predict and plot exercises, compared as numbers or as words.  Sourced by desk and check.
# An answer is a number, with a comma between thousands and one of the exercise's units if one likes ("17,301,504 bytes"), or one
# of the words to choose from; of "64 + 44 = 108" the last number counts.
# As it is compared: the number in the unit that is asked for ("ms,s=1000"), or what the word stands for ("color,colour=color").
plain_answer() { # plain_answer ANSWER UNITS
    printf '%s\n' "$1" | awk -v units="$2" '{
        a = tolower($0); gsub(/[()!\r]/, "", a); sub(/.*=/, "", a); sub(/^[ \t"]*((about|at|~)[ \t]*)?/, "", a); sub(/[ \t".]+$/, "", a)
        for (n = split(units, unit, ","); n; n--) if (index(a, tolower(unit[n]) " ") == 1 && a ~ /[0-9]$/) a = substr(a, length(unit[n]) + 2) # "byte 776"
        if (a ~ /^[1-9][0-9]?[0-9]?(,[0-9][0-9][0-9])+([^0-9,]|$)/) gsub(/,/, "", a)
        number = match(a, /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?/) ? substr(a, 1, RLENGTH) : ""
        word = substr(a, length(number) + 1); sub(/^[ \t]+/, "", word)
        for (n = split(units, unit, ","); n; n--)
            if (split(unit[n], part, "=") && (word == tolower(part[1]) || word == tolower(part[1]) "s"))
                a = number != "" ? sprintf("%.15g", number * (part[2] == "" ? 1 : part[2])) : part[2] == "" ? part[1] : part[2]
        print a }'
}
is_number() { printf '%s\n' "$1" | grep -q -E '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?$'; }
# Numbers may differ by a hundredth, unless HOW is "exact".
same_answer() { # same_answer ANSWER TRUTH HOW
    [ "$1" = "$2" ] || { is_number "$1" && is_number "$2" && awk -v a="$1" -v b="$2" -v how="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= (b < 0 ? -b : b) / (how == "exact" ? 1e9 : 100)) }'; }
}
# What is said to a wrong answer: the row of answers.txt with that number (the very one, where a count is asked for), or the hint.
hint_for() { # hint_for NUMBER ANSWER TRUTH
    cat layer*/exercise/answers.txt | sed -n "s/^$1 | \([^r]\)/\1/p" >"$OUT/slips"
    while IFS= read -r slip; do
        case ${slip%% | *} in *.*) how=- ;; *) how=$(field "$1" 8) ;; esac
        ! same_answer "$2" "${slip%% | *}" "$how" || { say "${slip#* | }"; return; }
    done <"$OUT/slips"
    known=$(field "$1" 7 | sed 's/=[^,]*//g; s/,/, /g')
    if ! is_number "$3"; then say "Answer with one of these words: $known.  $(first_hint "$1")"
    elif is_number "$2"; then first_hint "$1"
    else say "Answer with a number, alone or with one of these units ($known).  $(first_hint "$1")"; fi
}
TRUTH= # what the exercise's command prints, where that is known
check_answer() { # check_answer NUMBER FILE
    given=$(plain_answer "$(sed -n 's/^ANSWER:[[:blank:]]*//p' "$2" | tail -1)" "$(field "$1" 7)")
    [ -n "$given" ] || return 77
    wanted=${TRUTH:-$(sh -c "$(field "$1" 6)")}
    same_answer "$given" "$wanted" "$(field "$1" 8)" || { say "  hint: $(hint_for "$1" "$given" "$wanted")"; return 1; }
}
