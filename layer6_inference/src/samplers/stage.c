/* stage.c - the list of all stages. */
#include "stage.h"

static const StageKind *const kinds[] = {&stage_greedy, &stage_temp,  &stage_top_k,
                                         &stage_top_p,  &stage_min_p, &stage_penalties,
                                         &stage_draw};

size_t stage_list(const StageKind *const **list) {
    *list = kinds;
    return sizeof kinds / sizeof *kinds;
}

const StageKind *stage_find(Text name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_equal(name, text_of(kinds[i]->name))) return kinds[i];
    return NULL;
}
