/* right: rope_init fills in the fields one by one and leaves by an early return; ROPE_NONE is asked for last */
#include <string.h>

void rope_init(Rope *rope, const RopeConfig *config, Arena *arena) {
    bool yarn = config->scaling == ROPE_SCALE_YARN;
    size_t pairs = config->rotary / 2;
    memset(rope, 0, sizeof *rope);
    rope->style = config->style, rope->rotary = config->rotary;
    rope->magnitude =
        (float)(yarn ? config->attn_factor + config->attn_factor * log(config->factor) / 10
                     : 1.0);
    if (config->style != ROPE_NONE) {
        REQUIRE(config->factor > 0, "factor %g", config->factor);
        rope->freq = arena_take(arena, pairs, sizeof(double));
        if (rope->freq == NULL) return;
        while (pairs-- > 0) rope->freq[pairs] = frequency(config, pairs);
    }
}
