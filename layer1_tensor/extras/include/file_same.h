/* file_same.h - do two paths name the same file? */
#ifndef STRATA_FILE_SAME_H
#define STRATA_FILE_SAME_H

#include <stdbool.h>

/* Links followed; neither needs to exist. */
bool file_same(const char *a, const char *b);

#endif
