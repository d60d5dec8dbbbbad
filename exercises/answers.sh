# The answers of predict and plot exercises, compared as numbers or as words.  Sourced by desk and check.
#
# An answer is a number, with a comma between thousands and one of the exercise's units if one likes ("17,301,504 bytes"), or one
# of the words to choose from; of "64 + 44 = 108" the last number counts.

# An answer as the graders compare it: the number in the unit that is asked for, or the word that one of the exercise's words stands
# for ("ms,s=1000", "color,colour=color"); what is neither stays as it is.
plain_answer() { # plain_answer ANSWER UNITS
    printf '%s\n' "$1" | awk -v units="$2" '{
        a = tolower($0); gsub(/\r/, "", a); sub(/.*=/, "", a); gsub(/^[ \t"]+|[ \t".]+$/, "", a); sub(/^(about|at|~)[ \t]*/, "", a); gsub(/[()!]/, "", a)
        for (n = split(units, unit, ","); n; n--) if (index(a, tolower(unit[n]) " ") == 1 && a ~ /[0-9]$/) a = substr(a, length(unit[n]) + 2) # "byte 776"
        if (match(a, /^[1-9][0-9]?[0-9]?(,[0-9][0-9][0-9])+/) && (rest = substr(a, RLENGTH + 1)) !~ /^[0-9,]/) { a = substr(a, 1, RLENGTH); gsub(/,/, "", a); a = a rest }
        rest = a
        if (sub(/^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?/, "", rest)) number = substr(a, 1, length(a) - length(rest))
        sub(/^[ \t]+/, "", rest)
        for (n = split(units, unit, ","); n; n--) {
            split(unit[n], part, "=")
            if (rest == tolower(part[1]) || rest == tolower(part[1]) "s") { a = number == "" ? (part[2] == "" ? part[1] : part[2]) : sprintf("%.15g", number * (part[2] == "" ? 1 : part[2])); break }
        }
        print a }'
}
is_number() { printf '%s\n' "$1" | grep -q -E '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?$'; }

# Are two answers one?  As numbers, which may differ by a hundredth unless the third word is "exact"; else as words.
same_answer() {
    [ "$1" != "$2" ] || return 0
    is_number "$1" && is_number "$2" && awk -v a="$1" -v b="$2" -v how="$3" 'BEGIN { d = a - b; exit !((d < 0 ? -d : d) <= (b < 0 ? -b : b) / (how == "exact" ? 1e9 : 100)) }'
}

# What is said to a wrong answer: the row of answers.txt with that number (the very one, where a count is asked for), or the hint.
hint_for() { # hint_for NUMBER ANSWER TRUTH
    cat layer*/exercise/answers.txt | grep "^$1 | [^r]" >"$OUT/slips"
    while IFS= read -r line; do
        slip=${line#* | } how=$(field "$1" 8)
        case ${slip%% | *} in *.*) how=- ;; esac
        if same_answer "$2" "${slip%% | *}" "$how"; then say "${slip#* | }"; return; fi
    done <"$OUT/slips"
    known=$(field "$1" 7 | sed 's/=[^,]*//g; s/,/, /g')
    if ! is_number "$3"; then say "Answer with one of these words: $known.  $(first_hint "$1")"
    elif is_number "$2"; then first_hint "$1"
    else say "Answer with a number, alone or with one of these units ($known).  $(first_hint "$1")"; fi
}

# Compare an answer with what the command prints, or has printed: TRUTH.
TRUTH=
check_answer() { # check_answer NUMBER FILE
    given=$(sed -n 's/^ANSWER:[[:blank:]]*//p' "$2" | tail -1)
    [ -n "$given" ] || return 77
    wanted=${TRUTH:-$(sh -c "$(field "$1" 6)")}
    given=$(plain_answer "$given" "$(field "$1" 7)")
    same_answer "$given" "$wanted" "$(field "$1" 8)" || { say "  hint: $(hint_for "$1" "$given" "$wanted")"; return 1; }
}
