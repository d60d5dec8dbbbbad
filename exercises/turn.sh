# Which works a sampled check takes: sourced by check and capstone/desk.
#
# The files of the commit decide, so that a commit passes or fails on every day alike, and the next one has others.  Without git: the day.
turn_of_commit() {
    tree=$(git rev-parse 'HEAD^{tree}' 2>/dev/null | cut -c1-7)
    if [ "$tree" ]; then echo $((0x$tree)); else echo $(($(date +%s) / 86400)); fi
}
