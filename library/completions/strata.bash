# Completion for bash: strata itself says which words may come next (strata --help=words).
#
# bash takes ":" and "=" for ends of words, and top_k:40,te is one to strata: put the pieces together, and give back only what
# stands behind the last of these signs.
_strata() {
    local rest=${COMP_LINE:0:COMP_POINT} word glued i n=0 kind files="" ending="" prefix="" IFS=$' \t\n'
    local -a words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]} glued=yes
        case $rest in [[:space:]]*) glued= ;; esac
        rest=${rest#"${rest%%[![:space:]]*}"}
        if ((i == COMP_CWORD)); then word=$rest; fi
        rest=${rest#"$word"}
        if [[ $glued && $n -gt 0 ]]; then words[n - 1]+=$word; else words[n]=$word n=$((n + 1)); fi
    done
    local begun=${words[n - 1]#[\"\']}
    words[n - 1]=$begun
    case $begun in *[:=]*) prefix=${begun%"${begun##*[:=]}"} ;; esac
    COMPREPLY=()
    while IFS=$'\t' read -r word kind; do
        case $word in
        :files) files=yes ending=$kind ;;
        :open) compopt -o nospace 2>/dev/null ;;
        *) COMPREPLY+=("${word#"$prefix"}") ;;
        esac
    done < <("${words[0]}" --help=words "${words[@]:1}" 2>/dev/null)
    if [[ ! $files ]]; then return; fi
    compopt -o filenames 2>/dev/null
    IFS=$'\n'
    # shellcheck disable=SC2207
    if [[ $ending ]]; then
        COMPREPLY+=($(compgen -f -X "!*.$ending" -- "$begun") $(compgen -d -- "$begun"))
    else
        COMPREPLY+=($(compgen -f -- "$begun"))
    fi
}
complete -F _strata strata
