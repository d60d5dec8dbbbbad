/* common.c - what two texts have in common.  See study.h.
 *
 * Tokens outside a longest common subsequence with the first text are marked:
 *
 *     first chain    Tom lost his hat     and cried
 *     this one       Tom lost his [scarf] and [sighed]
 *
 * length[i][j] is that of the suffixes from i and j; a path through it from 0, 0 yields the
 * common tokens. */
#include "study.h"

#include <stdlib.h>

static size_t total(const Sample *s) { return s->begun + s->tokens; }

bool samples_common(const Sample *a, const Sample *b, bool *common, Fault *fault) {
    size_t n = total(a), m = total(b), wide = m + 1;
    uint16_t *length = calloc((n + 1) * wide, sizeof *length);
    if (!length) return fault_set(fault, "no memory to lay texts side by side");
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            uint16_t down = length[(i + 1) * wide + j], on = length[i * wide + j + 1];
            length[i * wide + j] = a->ids[i] == b->ids[j]
                                       ? (uint16_t)(length[(i + 1) * wide + j + 1] + 1)
                                   : down > on ? down
                                               : on;
        }
    for (size_t i = 0, j = 0; i < n && j < m;) {
        if (a->ids[i] == b->ids[j])
            common[j] = true, i++, j++;
        else if (length[(i + 1) * wide + j] >= length[i * wide + j + 1])
            i++;
        else
            j++;
    }
    free(length);
    return true;
}
