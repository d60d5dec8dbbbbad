/* layer_skip.c - see layer_skip.h. */
#include "layer_skip.h"
#include "draft_head.h"

#include <stdlib.h>

static bool can_skip(const Model *m, const bool *skipped, Fault *fault) {
    const ModelExtras *x = model_extras(m);
    const char *why = x->encoder                  ? "it has an encoder"
                      : x->streams                ? "its blocks read several streams"
                      : x->layer_table.table.data ? "its blocks have inputs of their own"
                      : draft_head_is(m)          ? "it is a draft head"
                                                  : NULL;
    for (size_t l = 0; l < m->sizes.layers && !why; l++) {
        const LayerExtras *e = m->layers[l].extras;
        if (e && e->kv_back) why = "its blocks share keys and values";
        if (e && e->rwkv_first && skipped[l]) why = "later blocks read the first one's values";
        if (m->blocks[l].extras && m->blocks[l].extras->mla.index.heads)
            why = "its blocks have an indexer";
    }
    return !why ||
           fault_set(fault, "this %s model cannot draft for itself by skipping blocks: %s",
                     m->recipe->arch, why);
}

static bool wants_list(const char *text, const Model *m, Fault *fault) {
    return fault_set(fault,
                     "'%.40s': wanted blocks to skip, each once, from 0 to %zu and not all of "
                     "them, e.g. 1; or a share that leaves the first and the last, e.g. 40%%",
                     text, m->sizes.layers - 1);
}

/* So many of the blocks between the first and the last, spread evenly. */
static bool skip_share(const char *text, double percent, const Model *m, bool *skipped,
                       Fault *fault) {
    const double share = percent > 0 && percent < 100 ? percent / 100 : 0; /* NaN: 0 */
    const size_t n = (size_t)(share * (double)m->sizes.layers + 0.5);
    if (n == 0 || n + 2 > m->sizes.layers) return wants_list(text, m, fault);
    for (size_t i = 0; i < n; i++) skipped[1 + i * (m->sizes.layers - 2) / n] = true;
    return true;
}

static bool read_skipped(const char *text, const Model *m, bool *skipped, Fault *fault) {
    char *end;
    size_t left = m->sizes.layers;
    double percent = strtod(text, &end);
    if (end > text && end[0] == '%' && !end[1])
        return skip_share(text, percent, m, skipped, fault);
    for (const char *at = text;; at = end + 1) {
        unsigned long l = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : m->sizes.layers;
        if (l >= m->sizes.layers || skipped[l] || --left == 0 || (*end && *end != ','))
            return wants_list(text, m, fault);
        skipped[l] = true;
        if (!*end) return true;
    }
}

bool layer_skip_open(Model *skipping, const Model *m, const char *text, Fault *fault) {
    bool skipped[MODEL_LAYERS] = {false};
    if (!read_skipped(text, m, skipped, fault) || !can_skip(m, skipped, fault)) return false;
    *skipping = *m;
    skipping->blocks = malloc(m->sizes.layers * sizeof *m->blocks);
    skipping->layers = malloc(m->sizes.layers * sizeof *m->layers);
    if (!skipping->blocks || !skipping->layers) {
        layer_skip_close(skipping);
        return fault_set(fault, "no memory for lists of blocks");
    }
    size_t n = 0;
    for (size_t l = 0; l < m->sizes.layers; l++)
        if (!skipped[l]) {
            skipping->blocks[n] = m->blocks[l];
            skipping->layers[n++] = m->layers[l];
        }
    skipping->sizes.layers = skipping->sizes.blocks = n;
    return true;
}

void layer_skip_close(Model *skipping) { free(skipping->blocks), free(skipping->layers); }
