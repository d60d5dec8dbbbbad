# All public headers as one: awk -f header.awk HEADER...
#
# Each `#include "x.h"` becomes the text of x.h, the first time; what comes from the system stands at the head, outside of extern "C".
function expand(name,   line, part) {
    if (name in expanded) return
    expanded[name] = 1
    if (!(name in path)) { print "no header " name > "/dev/stderr"; exit 1 }
    while ((getline line < path[name]) > 0)
        if (line ~ /^#include "/) { split(line, part, "\""); expand(part[2]) }
        else if (line !~ /^#include </) body = body line "\n"
        else if (!(line in system_headers)) { system_headers[line] = 1; head = head line "\n" }
    close(path[name])
}
BEGIN {
    for (i = 1; i < ARGC; i++) { name = ARGV[i]; sub(/.*\//, "", name); path[name] = ARGV[i] }
    expand("inference_extras.h")
    printf "%s\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n%s\n#ifdef __cplusplus\n}\n#endif\n", head, body
}
