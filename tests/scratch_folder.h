/* scratch_folder.h - a folder for the files of one test program; gone when it ends. */
#ifndef STRATA_SCRATCH_FOLDER_H
#define STRATA_SCRATCH_FOLDER_H

#include "check.h"

static char folder[200];

/* The path of a file in it; good until in_folder() has been called four more times. */
static inline const char *in_folder(const char *name) {
    static char paths[4][300];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof *paths, "%s/%s", folder, name);
    return path;
}

static inline int make_folder(void **state) {
    const char *tmp = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/strata-test-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state) {
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
