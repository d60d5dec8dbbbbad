#!/bin/sh
# Man pages of the program and of each of its commands, from the tables that its help is made of.
#
#   man.sh STRATA FOLDER
set -e
strata=$1 folder=$2
mkdir -p "$folder"
rm -f "$folder"/strata*.1
page() { # page NAME COMMAND...: nothing where a command is not built
    file=$folder/$1.1
    shift
    if "$strata" "$@" --help=man >"$file.part" 2>/dev/null; then mv "$file.part" "$file"; else rm -f "$file.part"; fi
}
words() { "$strata" --help=words "$@" | sed -n 's/^\([a-z][a-z-]*\)	.*/\1/p'; }
page strata
for command in $(words ""); do
    if [ "$command" != help ]; then page "strata-$command" "$command"; fi
done
for word in $("$strata" --help=words world "" | sed -n 's/^\([a-z][a-z]*\)	$/\1/p'); do page "strata-world-$word" world "$word"; done
