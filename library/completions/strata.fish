# Completion for fish: strata itself says which words may come next (strata --help=words).
function __strata_words
    set -l before (commandline -opc)
    set -l begun (commandline -ct)
    for line in ($before[1] --help=words $before[2..-1] "$begun" 2>/dev/null)
        switch $line
            case ':files*'
                set -l ending (string split \t -- $line)[2]
                set -l paths (__fish_complete_path "$begun")
                test -n "$ending"; and set paths (string match -r '.*(?:\.'$ending'|/)(?:\t.*)?$' -- $paths)
                printf '%s\n' $paths
            case ':open'
            case '*'
                echo $line
        end
    end
end
complete -c strata -f -a '(__strata_words)'
