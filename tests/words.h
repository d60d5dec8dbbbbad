/* words.h - facts as words, some with a number: "rms halves window:6". */
#ifndef STRATA_WORDS_H
#define STRATA_WORDS_H

#include <stdlib.h>
#include <string.h>

/* The number of a word; 1 when it has none, 0 when it is not there. */
static inline double word_in(const char *words, const char *word) {
    size_t n = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at++) {
        if (at != words && at[-1] != ' ') continue;
        if (at[n] == '\0' || at[n] == ' ') return 1;
        if (at[n] == ':') return strtod(at + n + 1, NULL);
    }
    return 0;
}

#endif
