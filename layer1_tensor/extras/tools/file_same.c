/* file_same.c - see file_same.h. */
#include "file_same.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Files that do not exist yet: the same name in the same folder. */
static bool same_unborn(const char *a, const char *b) {
    char *copies[] = {strdup(a), strdup(b), strdup(a), strdup(b)};
    bool same = copies[0] && copies[1] && copies[2] && copies[3] &&
                strcmp(basename(copies[0]), basename(copies[1])) == 0 &&
                file_same(dirname(copies[2]), dirname(copies[3]));
    for (int i = 0; i < 4; i++) free(copies[i]);
    return same;
}

bool file_same(const char *a, const char *b) {
    struct stat one, two;
    bool first = stat(a, &one) == 0, second = stat(b, &two) == 0;
    if (first && second) return one.st_dev == two.st_dev && one.st_ino == two.st_ino;
    return !first && !second && strcmp(a, ".") != 0 && same_unborn(a, b);
}
