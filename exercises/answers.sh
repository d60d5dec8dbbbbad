# The answers of predict and plot exercises: read as a person writes them, compared as numbers.  Sourced by desk and check.

# An answer as the graders read it: small letters, no full stop, no commas between thousands; a number with one of the units of the
# exercise ("ms,s=1000": the first is the one it asks for) becomes the plain number, and any other words are left as they are.
plain_answer() { # plain_answer ANSWER UNITS
    printf '%s\n' "$1" | awk -v units="$2" '
        BEGIN {
            n = split("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", word, " ")
            for (i = 1; i <= n; i++) worth[word[i]] = i - 1
            n = split("twenty thirty forty fifty sixty seventy eighty ninety", word, " ")
            for (i = 1; i <= n; i++) worth[word[i]] = 10 * (i + 1)
        }
        # "one hundred and sixty places" becomes "160 places"; "three four" and "sixty and" stay as they are.
        function in_digits(text, w, n, i, total, part, value) {
            n = split(text, w, /[ -]+/)
            for (i = 1; i <= n; i++) {
                value = w[i] in worth ? worth[w[i]] : -1
                if (value >= 0 && (part % 100 == 0 || (value > 0 && value < 10 && part % 100 >= 20 && part % 10 == 0))) part += value
                else if (w[i] == "hundred" && part < 10) part = 100 * (part ? part : 1)
                else if (w[i] == "thousand" && !total) { total = 1000 * (part ? part : 1); part = 0 }
                else if (!(i == 1 && w[i] == "a" && w[2] ~ /^(hundred|thousand)$/) && !(i > 1 && w[i] == "and" && w[i + 1] in worth)) break
            }
            if (i == 1 || w[i] in worth || w[i] ~ /^(hundred|thousand)$/) return text
            value = total + part
            for (; i <= n; i++) value = value " " w[i]
            return value
        }
        {
            a = tolower($0); gsub(/^[ \t"]+|[ \t".!]+$/, "", a); sub(/^((about|at|~|≈|=)[ \t]*)+/, "", a); sub(/[ \t]*\([^()]*\)$/, "", a)
            sub(/^(none|nothing)( |$)/, "zero ", a); sub(/ $/, "", a)
            a = in_digits(a)
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

# "64 + 44 = 108" is 108, when the sum does come to that; words in it are left out: "5 places * 60 steps - 140 = 160".
worked_out() { # worked_out ANSWER
    case $1 in *[0-9]*=*[0-9]*) ;; *) say "$1"; return ;; esac
    result=$(printf '%s\n' "${1##*=}" | sed 's/^ *//; s/\([0-9]\),\([0-9][0-9][0-9]\)/\1\2/g')
    sum=$(printf '%s\n' "${1%=*}" | sed 's/\([0-9]\),\([0-9][0-9][0-9]\)/\1\2/g; s/.*[=,;:]//; s/ x / * /g; s/×/*/g; s/·/*/g; s/[A-Za-z ]//g')
    case $sum in *[!-+*/.0-9\(\)]* | "") say "$1"; return ;; esac
    sum=$(awk "BEGIN { printf \"%.15g\", $sum }" 2>/dev/null)
    if same_answer "$sum" "$(printf '%s\n' "$result" | sed 's/[^-+.0-9].*//')" exact; then say "$result"; else say "$1"; fi
}

# Where a number is wanted, what is said beside it does no harm: "the remainder 6", "6 mod 7", "19th", "160 places of all steps".
# A unit of measurement does, unless the exercise knows it: 3 MB are not 3 MiB.  So does another thing than the one that is counted:
# the first that is named behind the number, or the one just before it.
number_in() { # number_in ANSWER UNITS, the answer from plain_answer
    printf '%s\n' "$1" | awk -v units="$2" '
        BEGIN {
            for (i = split(tolower(units), unit, ","); i; i--) { sub(/=.*/, "", unit[i]); known[unit[i]] }
            things = "^(tokens?|words?|steps?|places?|pages?|blocks?|layers?|heads?|rows?|columns?|nodes?|states?|patterns?|char(acter)?s?|letters?|digits?|documents?|texts?|sentences?|sequences?|requests?|users?|weights?|parameters?|elements?|entries|entry|nats?|numbers?|vectors?|matrix|matrices|experts?|stages?|candidates?)$"
        }
        function is_measure(text, i, n, w) {
            n = split(text, w, /[ -]+/)
            for (i = 1; i <= n; i++)
                if (w[i] ~ /^([kmgt]i?)?(b|bytes?|bits?|hz|flops?)$|^([mun]?s|secs?|seconds?|min|minutes?|hours?|h|days?|percent|per|m|[kcmn]m|met(er|re)s?|miles?|parsecs?|k?g|grams?|dollars?|euros?|degrees?|volts?|watts?|joules?|thousand|million|billion|dozens?|[kmgt]|times|or|and|not|to)$/ && !(w[i] in known)) return 1
            return 0
        }
        function is_other(before, after, i, n, w) {
            n = split(after, w, /[ -]+/)
            for (i = 1; i <= n; i++) if (w[i] in known || w[i] ~ things) return !(w[i] in known)
            n = split(before, w, /[ :=-]+/)
            while (n && w[n] == "") n--
            return n && w[n] ~ things && !(w[n] in known)
        }
        {
            a = $0
            number = "[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?"
            sub(" mod(ulo)? [0-9]+$", "", a)
            if (match(a, "(^|[ :=])" number "(st|nd|rd|th)?( |$)")) {
                before = substr(a, 1, RSTART - 1); after = substr(a, RSTART + RLENGTH)
                found = substr(a, RSTART, RLENGTH); gsub(/^[ :=]+|(st|nd|rd|th)? ?$/, "", found)
                if (before ~ /^[a-z ]*[:=]?$/ && after ~ /^[a-z ]*$/ && before !~ /(^| )(not|no|less|more|under|over|than|minus|below|above)( |$)/ && !is_measure(after) && !is_other(before, after)) a = found
            }
            print a
        }'
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
    [0-9]*[-+*/=]*) say "One number is asked for: work the sum out, and look whether it comes to what is written.  $(first_hint "$1")" ;;
    [0-9]*[a-z%]*) say "A number with another unit than the one asked for (known here: $(field "$1" 7 | sed 's/=[^,]*//g; s/,/, /g')).  $(first_hint "$1")" ;;
    *) first_hint "$1" ;;
    esac
}

# Compare an answer with what the command prints.
check_answer() {
    given=$(sed -n 's/^ANSWER: *//p' "$2" | tail -1)
    [ -n "$given" ] || return 77
    given=$(plain_answer "$(worked_out "$given")" "$(field "$1" 7)")
    wanted=$(sh -c "$(field "$1" 6)")
    case $wanted in [-+.0-9]*) given=$(number_in "$given" "$(field "$1" 7)") ;; esac
    same_answer "$given" "$wanted" "$(field "$1" 8)" || {
        say "  hint: $(hint_for "$1" "$given")"
        return 1
    }
}

