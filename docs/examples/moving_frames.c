/* moving_frames.c - the pictures that move on the pages (docs/playground/moving), natively.
 *
 *     moving_frames MODEL                    the sliders of all pictures, as CSV, then the first
 *                                            frame of each, as CSV below a line "# NAME"
 *     moving_frames MODEL NAME A B C TEXT    a picture's frame at these values of the sliders */
#include "../playground/moving/moving.h"

#include <stdlib.h>
#include <string.h>

/* One step of training at a call: as many calls as a page makes. */
static const char *frame(const char *name, const double *at, const char *text) {
    static char texts[4096];
    const int last = snprintf(texts, sizeof texts, "%s%c%s", name, 0, text);
    if (last < 0 || (size_t)last >= sizeof texts) return "the text is too long";
    const char *rows = moving_show(texts, at[0], at[1], at[2]);
    for (int i = 1; strcmp(name, "train") == 0 && i < (int)at[0]; i++)
        rows = moving_show(texts, at[0], at[1], at[2]);
    return rows;
}

static int put_frame(const char *name, const double *at, const char *text) {
    const char *rows = frame(name, at, text);
    fputs(rows, strchr(rows, '\n') ? stdout : stderr);
    return strchr(rows, '\n') ? 0 : 1;
}

static int put_first_frames(void) {
    fputs(moving_sliders(), stdout);
    for (size_t i = 0; i < moving_count; i++) {
        const Moving *m = &moving_pictures[i];
        double at[MOVING_SLIDERS];
        for (int k = 0; k < MOVING_SLIDERS; k++) at[k] = m->sliders[k].start;
        printf("# %s\n", m->name);
        if (put_frame(m->name, at, m->text ? m->text : "")) return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    double at[MOVING_SLIDERS] = {0};
    FileMap file;
    Fault fault = {0};
    if (argc < 2 || !file_open(&file, argv[1], &fault)) {
        fprintf(stderr, "usage: moving_frames MODEL [NAME A B C TEXT]  %s\n", fault.text);
        return 2;
    }
    kernels_select("scalar", &fault);
    const char *problem = play_open((const char *)file.data, file.size);
    if (problem) return fprintf(stderr, "%s\n", problem), 1;
    if (argc == 2) return put_first_frames();
    for (int i = 0; i < MOVING_SLIDERS && i + 3 < argc; i++) at[i] = strtod(argv[i + 3], NULL);
    return put_frame(argv[2], at, argc > 6 ? argv[6] : "");
}
