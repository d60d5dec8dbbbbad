# The answers of predict and plot exercises: read as a person writes them, compared as numbers.  Sourced by desk and check.

# An answer as the graders read it: small letters, no full stop, no marks between thousands; a number with one of the units of the
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
                else if (w[i] == "hundred" && part < 100) part = 100 * (part ? part : 1)
                else if (w[i] == "thousand" && !total) { total = 1000 * (part ? part : 1); part = 0 }
                else if (!(i == 1 && w[i] == "a" && w[2] ~ /^(hundred|thousand)$/) && !(i > 1 && w[i] == "and" && w[i + 1] in worth)) break
            }
            if (i == 1 || w[i] in worth || w[i] ~ /^(hundred|thousand)$/) return text
            value = total + part
            for (; i <= n; i++) value = value " " w[i]
            return value
        }
        # The same behind other words: "the last four bytes".
        function spelled(text, n, i, w, at) {
            if (text ~ /[0-9]/) return text
            n = split(text, w, " "); w[n + 1] = ""
            for (i = 1; i <= n && !(w[i] in worth) && w[i + 1] !~ /^(hundred|thousand)$/; i++) at += length(w[i]) + 1
            return i > n ? in_digits(text) : substr(text, 1, at) in_digits(substr(text, at + 1))
        }
        # 17,301,504 and 17.301.504 without their marks; 0,757 is 0.757.
        function bare(a, head) {
            gsub(/’/, "\047", a)
            if (a ~ /^[-+]?(0,[0-9]+|[0-9]+,[0-9][0-9]?|[0-9]+,[0-9][0-9][0-9][0-9]+)([^0-9,]|$)/) sub(/,/, ".", a)
            if (match(a, /^[-+]?[0-9][0-9]?[0-9]?(([,_ \047][0-9][0-9][0-9])+|[.][0-9][0-9][0-9]([.][0-9][0-9][0-9])+)([^0-9]|$)/)) {
                head = substr(a, 1, RLENGTH - (substr(a, RLENGTH, 1) ~ /[^0-9]/))
                a = substr(a, length(head) + 1)
                gsub(/[^-+0-9]/, "", head)
                a = head a
            }
            return a
        }
        {
            a = tolower($0); gsub(/^[ \t"]+|[ \t".!]+$/, "", a); sub(/^((about|at|~|≈|=)[ \t]*)+/, "", a)
            if (match(a, /[ \t]*\([^()]*\)$/) && RSTART > 1) a = substr(a, 1, RSTART - 1)
            sub(/^(none|nothing)( |$)/, "zero ", a); sub(/ $/, "", a)
            a = bare(spelled(a))
            number = "[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?"
            for (i = split(tolower(units), unit, ","); i; i--) {
                factor = index(unit[i], "=") ? substr(unit[i], index(unit[i], "=") + 1) : 1
                sub(/=.*/, "", unit[i])
                if (a ~ "^" number "[ ]*" unit[i] "$") { a = sprintf("%.15g", factor * a); break }
                if (a ~ "^" unit[i] "[ ]+" number "$") { sub(/^[^ ]+[ ]+/, "", a); a = sprintf("%.15g", factor * a); break }
            }
            print a }'
}

# What a sum comes to, its words left out: "5 places * 60 steps - 140" is 160, "ceil(1000/120)" is 9.  Nothing when it is no sum.
comes_to() { # comes_to TEXT
    sum=$(printf '%s\n' "$1" | awk '{
        a = tolower($0); sub(/.*[;:]/, "", a)
        while (match(a, /[0-9],[0-9][0-9][0-9]/)) a = substr(a, 1, RSTART) substr(a, RSTART + 2)
        sub(/.*,/, "", a)
        gsub(/×|·| x /, "*", a); gsub(/²/, "^2", a); gsub(/⌈/, "C(", a); gsub(/⌊/, "F(", a); gsub(/⌉|⌋/, ")", a)
        while (match(a, /[0-9)] *x *[0-9(]/)) { b = substr(a, RSTART, RLENGTH); sub(/x/, "*", b); a = substr(a, 1, RSTART - 1) b substr(a, RSTART + RLENGTH) }
        gsub(/ceil(ing)? *\(/, "C(", a); gsub(/floor *\(/, "F(", a); gsub(/exp *\(/, "E(", a)
        if (a ~ /(^|[^0-9.a-z])e *\^/) sub(/e *\^/, "2.718281828459045^", a)
        while (match(a, /[0-9]e[-+]?[0-9]/)) a = substr(a, 1, RSTART) "@" substr(a, RSTART + 2)
        gsub(/[a-z ]/, "", a); gsub(/@/, "e", a); print a }')
    case $sum in *[!-+*/.0-9e^CEF\(\)]* | "") return ;; esac
    awk "function C(x) { return x > int(x) ? int(x) + 1 : int(x) } function F(x) { return int(x) } function E(x) { return exp(x) }
        BEGIN { printf \"%.15g\", $sum }" 2>/dev/null
}

# "64 + 44 = 108" is 108 when the sum does come to that, be it in another of the units: "20e9 / 0.8e12 = 25 ms".
worked_out() { # worked_out ANSWER UNITS exact|-
    case $1 in *[0-9]*=*[0-9]*) ;; *) say "$1"; return ;; esac
    sum=${1%=*} result=${1##*=}
    case $result in *[0-9\)\ ][-+*/x]* | *×* | *²* | *\(*) sum=$result result=${1%%=*} ;; esac
    case $sum in *=*) sum=${sum##*=} ;; esac
    sum=$(comes_to "$sum")
    given=$(number_in "$(plain_answer "$result" "$2")" "$2")
    for unit in "" $(say "$2" | sed 's/=[^,]*//g; s/ /_/g; s/,/ /g'); do
        [ -n "$sum" ] && same_answer "$(plain_answer "$sum $(say "$unit" | tr _ ' ')" "$2")" "$given" "$3" && { say "$result"; return; }
    done
    say "$1"
}

# Where a number is wanted, what is said beside it does no harm: "the remainder 6", "6 mod 7", "19th", "160 places of all steps".
# A unit of measurement does, unless the exercise knows it: 3 MB are not 3 MiB.  So does another thing than the one that is counted:
# the first that is named behind the number, or the one just before it.
number_in() { # number_in ANSWER UNITS, the answer from plain_answer
    printf '%s\n' "$1" | awk -v units="$2" '
        BEGIN {
            for (i = split(tolower(units), unit, ","); i; i--) { sub(/=.*/, "", unit[i]); known[unit[i]] }
            things = "^(tokens?|words?|steps?|places?|pages?|blocks?|layers?|heads?|rows?|columns?|nodes?|states?|patterns?|char(acter)?s?|letters?|digits?|documents?|texts?|sentences?|sequences?|requests?|users?|weights?|parameters?|elements?|entries|entry|nats?|patch(es)?|pixels?|pictures?|numbers?|vectors?|matrix|matrices|experts?|stages?|candidates?)$"
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
            sub(/[,;:] [^0-9]*$/, "", a); gsub(/\047/, "", a)
            number = "[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?"
            sub(" mod(ulo)? [0-9]+$", "", a); if (a ~ /[0-9].* of (all |the )*[0-9]+/) sub(/ of (all |the )*[0-9]+/, "", a)
            if (match(a, "(^|[ :=])" number "(st|nd|rd|th)?( |$)")) {
                before = substr(a, 1, RSTART - 1); after = substr(a, RSTART + RLENGTH)
                found = substr(a, RSTART, RLENGTH); gsub(/^[ :=]+|(st|nd|rd|th)? ?$/, "", found)
                if (before ~ /^[a-z ,"]*[:=]?$/ && after ~ /^[a-z ]*$/ && before !~ /(^| )(not|no|less|more|under|over|than|minus|below|above)( |$)/ && !is_measure(after) && !is_other(before, after)) a = found
            }
            print a
        }'
}

# Where one of some words is wanted ("name,thing,colour=color"), the one that an answer has; as it stands when it has none, or two.
word_in() { # word_in ANSWER WORDS
    printf '%s\n' "$1" | awk -v words="$2" '{
        n = split(words, choice, ",")
        for (i = 1; i <= n; i++) {
            means = choice[i]; sub(/.*=/, "", means); sub(/=.*/, "", choice[i])
            if (match(" " $0 " ", "[^a-z]" choice[i] "s?[^a-z]") && substr(" " $0, 1, RSTART) !~ /(^|[^a-z])(not|no|never|except|neither)([^a-z]|$)/ && found != means) { count++; found = means }
        }
        print count == 1 ? found : $0 }'
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

# What is said to a wrong answer: the row of answers.txt with that number (the very one, where a count is asked for), or the hint.
hint_for() { # hint_for NUMBER ANSWER TRUTH
    cat layer*/exercise/answers.txt | grep "^$1 | [^r]" >"$OUT/slips"
    while IFS= read -r line; do
        slip=${line#* | } how=$(field "$1" 8)
        case ${slip%% | *} in *.*) how=- ;; esac
        if same_answer "$2" "${slip%% | *}" "$how"; then say "${slip#* | }"; return; fi
    done <"$OUT/slips"
    known=$(field "$1" 7 | sed 's/=[^,]*//g; s/,/, /g')
    case $3 in [!-+.0-9]*) say "One of these words is asked for: $(field "$1" 7 | sed 's/[^,]*=[^,]*,//g; s/,/, /g').  $(first_hint "$1")"; return ;; esac
    case $(say "$2" | sed 's/^[-+]\{0,1\}[.0-9]*\(e[-+]\{0,1\}[0-9]*\)\{0,1\}//') in
    "") first_hint "$1" ;;
    *[-+*/=^]*[0-9]* | *" x "[0-9]*) say "One number is asked for: work the sum out, and look whether it comes to what is written.  $(first_hint "$1")" ;;
    *[0-9]*) say "One number is asked for, and here are several.  $(first_hint "$1")" ;;
    *) case $2 in
        [0-9]*[a-z%]*) say "A number with another unit than the one asked for (known here: $known).  $(first_hint "$1")" ;;
        *) first_hint "$1" ;;
        esac ;;
    esac
}

# Compare an answer with what the command prints, or has printed: TRUTH.
TRUTH=
check_answer() {
    given=$(sed -n 's/^ANSWER: *//p' "$2" | tail -1)
    [ -n "$given" ] || return 77
    units=$(field "$1" 7)
    wanted=${TRUTH:-$(sh -c "$(field "$1" 6)")}
    case $wanted in
    [-+.0-9]*)
        answer=$(worked_out "$given" "$units" "$(field "$1" 8)")
        given=$(number_in "$(plain_answer "$answer" "$units")" "$units") ;;
    *) given=$(word_in "$(plain_answer "$given")" "$units") ;;
    esac
    same_answer "$given" "$wanted" "$(field "$1" 8)" || {
        say "  hint: $(hint_for "$1" "$given" "$wanted")"
        return 1
    }
}
