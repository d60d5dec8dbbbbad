/* moving_frames.c - the pictures that move on the pages (docs/playground/moving), natively.
 *
 *     moving_frames MODEL                    the sliders of all pictures, as CSV
 *     moving_frames MODEL NAME               a picture's first frame, as CSV
 *     moving_frames MODEL NAME A B C TEXT    its frame at these values of the sliders */
#include "../playground/moving/moving.h"

#include <stdlib.h>
#include <string.h>

const char *moving_sliders(void), *moving_show(const char *, double, double, double);

enum { ROOM = 4096 };

/* The starts of a picture's sliders, and its text. */
static void read_starts(const char *picture, double *at, char *text) {
    char *rows = strdup(moving_sliders());
    int n = 0;
    for (char *row = strtok(rows, "\n"); row; row = strtok(NULL, "\n")) {
        const size_t size = strlen(picture);
        if (strncmp(row, picture, size) != 0 || row[size] != ',') continue;
        const char *text_cell = strstr(row, ",text,,,,\"");
        if (!text_cell) {
            at[n++] = strtod(strrchr(row, ',') + 1, NULL);
            continue;
        }
        size_t end = 0;
        for (const char *c = text_cell + 10; *c && end < ROOM - 1; c++) {
            if (*c == '"' && *++c != '"') break;
            text[end++] = *c;
        }
        text[end] = 0;
    }
    free(rows);
}

int main(int argc, char **argv) {
    double at[MOVING_SLIDERS] = {0};
    char texts[2 * ROOM] = {0};
    FileMap file;
    Fault fault = {0};
    if (argc < 2 || !file_open(&file, argv[1], &fault)) {
        fprintf(stderr, "usage: moving_frames MODEL [NAME [A B C [TEXT]]] %s\n", fault.text);
        return 2;
    }
    kernels_select("scalar", &fault);
    const char *problem = play_open((const char *)file.data, file.size);
    if (problem || argc == 2) {
        fputs(problem ? problem : moving_sliders(), problem ? stderr : stdout);
        return problem != NULL;
    }
    snprintf(texts, ROOM, "%s", argv[2]);
    char *text = texts + strlen(texts) + 1;
    read_starts(argv[2], at, text);
    for (int i = 0; i < MOVING_SLIDERS && i + 3 < argc; i++) at[i] = strtod(argv[i + 3], NULL);
    if (argc > 6) snprintf(text, ROOM, "%s", argv[6]);
    const char *rows = moving_show(texts, at[0], at[1], at[2]);
    for (int i = 1; strcmp(argv[2], "train") == 0 && i < (int)at[0]; i++)
        rows = moving_show(texts, at[0], at[1], at[2]); /* one step at a call */
    puts(rows);
    return strchr(rows, '\n') ? 0 : 1;
}
