/* stage.c - the list of all stages. */
#include "stage.h"

/* Those that change logits, those that cut, those that pick. */
static const StageKind *const kinds[] = {&stage_bias,
                                         &stage_ban,
                                         &stage_allow,
                                         &stage_suppress,
                                         &stage_min_tokens,
                                         &stage_force,
                                         &stage_length,
                                         &stage_penalties,
                                         &stage_dry,
                                         &stage_no_repeat,
                                         &stage_contrast,
                                         &stage_cfg,
                                         &stage_watermark,
                                         &stage_temp,
                                         &stage_quadratic,
                                         &stage_top_k,
                                         &stage_top_p,
                                         &stage_min_p,
                                         &stage_typical,
                                         &stage_tfs,
                                         &stage_top_a,
                                         &stage_epsilon,
                                         &stage_eta,
                                         &stage_top_n_sigma,
                                         &stage_top_h,
                                         &stage_p_less,
                                         &stage_xtc,
                                         &stage_skew,
                                         &stage_greedy,
                                         &stage_draw,
                                         &stage_gumbel,
                                         &stage_mirostat,
                                         &stage_mirostat_v2,
                                         &stage_adaptive_p,
                                         &stage_contrastive_search};

size_t stage_list(const StageKind *const **list) {
    *list = kinds;
    return sizeof kinds / sizeof *kinds;
}

const StageKind *stage_find(Text name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (text_equal(name, text_of(kinds[i]->name))) return kinds[i];
    return NULL;
}

bool stage_is_off(const Stage *stage) {
    const StageParam *main = &stage->kind->params[0];
    if (stage->kind->is_off) return stage->kind->is_off(stage);
    return main->key && main->has_off && stage->value[0] == main->off;
}

const double *stage_memory(const Stage *stage) {
    return stage->rows + (stage->n_rows - 1) * stage->kind->memory;
}
