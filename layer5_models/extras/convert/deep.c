/* deep.c - Qwen 3 VL's blocks whose rows go into the first layers of the language model, too.
 * See parts.h.
 *
 *     "vision_config": {"deepstack_visual_indexes": [5, 11, 17],
 *                       "num_position_embeddings": 2304, ...}
 *     model.visual.deepstack_merger_list.1.norm.weight  ->  v.deepstack.11.norm.weight
 *
 * The language model's file says how many there are.
 *
 * Source   llama.cpp (d8a24cc), conversion/qwen3vl.py; the transformers library's
 *          configuration_qwen3_vl.py, for what is not said */
#include "parts.h"
#include "json.h"

#include <string.h>

static const char list_key[] = "deepstack_visual_indexes";

/* The blocks that config.json lists; NULL: it lists none. */
static const JsonValue *deep_list(const JsonValue *config) {
    const JsonValue *list = json_get(config, list_key);
    return list && list->kind == JSON_ARRAY ? list : NULL;
}

bool deep_block(const Conversion *c, Text name, size_t *number) {
    const JsonValue *list = deep_list(c->folder.sizes);
    const size_t count = list ? list->count : 0;
    if (*number >= count)
        return REFUSE(c, "'%.*s': config.json's %s names %zu blocks",
                      (int)min_size(100, name.size), name.data, list_key, count);
    return json_size(&list->items[*number], number);
}

/* Positions are those of a square, whose side is what the file calls image_size. */
static bool put_square(Conversion *c) {
    const size_t places = size_or(c->folder.sizes, "num_position_embeddings", 0);
    size_t side = 0;
    while (side < 65536 && side * side < places) side++;
    if (side * side != places || !places)
        return REFUSE(c, "config.json: num_position_embeddings is %zu, wanted a square",
                      places);
    return put_size(c, "image_size", side * config_size(c, "patch_size", 1)), true;
}

bool put_deep(Conversion *c, const VisionKind *kind) {
    const JsonValue *said = json_get(c->folder.sizes, list_key),
                    *list = deep_list(c->folder.sizes);
    const size_t blocks = config_size(c, "block_count", 0), count = list ? list->count : 0;
    int64_t flags[MAX_VISION_BLOCKS] = {0};
    if (!kind->deep) return true;
    if (said && said->kind != JSON_NULL && !list)
        return REFUSE(c, "config.json: %s is not a list", list_key);
    if (blocks > MAX_VISION_BLOCKS)
        return REFUSE(c, "config.json: a tower of %zu blocks, wanted at most %d", blocks,
                      MAX_VISION_BLOCKS);
    for (size_t i = 0, block, next = 0; i < count; i++, next = block + 1) {
        if (!json_size(&list->items[i], &block) || block < next || block >= blocks)
            return REFUSE(c, "config.json: %s is not a list of blocks in their order, of %zu",
                          list_key, blocks);
        flags[block] = 1;
    }
    gguf_put_ints(c->writer, "clip.vision.is_deepstack_layers", GGUF_BOOL, flags, blocks);
    return put_square(c);
}

/* The language model's part: how many of its layers add rows. */
bool put_deep_layers(Conversion *c) {
    const JsonValue *tower = json_get(json_root(c->folder.config), "vision_config"),
                    *said = json_get(tower, list_key);
    if (strncmp(c->family->arch, "qwen3vl", 7) != 0 || !tower) return true;
    if (said && said->kind != JSON_ARRAY)
        return REFUSE(c, "config.json: %s of vision_config is not a list", list_key);
    const size_t count = said ? said->count : 3;
    if (count > c->layers)
        return REFUSE(c,
                      "config.json: %s names %zu blocks, and the language model has %zu layers",
                      list_key, count, c->layers);
    return put_size(c, "n_deepstack_layers", count), true;
}
