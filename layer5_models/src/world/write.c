/* write.c - the world writes a document.  See world.h. */
#include "rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Writer {
    const World *world;
    Memory memory;
    Rng rng;
    WorldText *text;
} Writer;

void world_text_free(WorldText *text) {
    free(text->bytes);
    *text = (WorldText){0};
}

void world_text_append(WorldText *text, Text piece) {
    size_t need = text->size + piece.size + 1;
    NEED_MEMORY(GROW(text->bytes, text->capacity, need), "a text of %zu bytes", need);
    memcpy(text->bytes + text->size, piece.data, piece.size);
    text->size += piece.size;
    text->bytes[text->size] = 0;
}

/* One of the words that no other variable has, equally likely unless the class has weights. */
static void world_write_bind(Writer *w, int variable) {
    const Class *class = &w->world->classes[w->world->variables[variable].class_index];
    double total = world_words_weight(w->world, variable, &w->memory), weight = 0;
    REQUIRE(total > 0, "no word is left for a variable");
    double u = class->weights ? rng_next(&w->rng) * total
                              : (double)rng_below(&w->rng, (uint64_t)total);
    for (int word = 0; word < class->count && u >= 0; word++) {
        if (!world_word_free(w->world, variable, word, &w->memory)) continue;
        w->memory.word[variable] = (short)word;
        u -= weight = world_word_weight(w->world, variable, word);
    }
    w->text->nats += log(total / weight);
}

static void write_rule(Writer *w, const Rule *rule);

static void write_symbol(Writer *w, const Symbol *symbol) {
    char word[128];
    if (symbol->kind == SYMBOL_TEXT) world_text_append(w->text, symbol->text);
    if (symbol->kind == SYMBOL_RULE) write_rule(w, &w->world->rules[symbol->index]);
    if (symbol->kind != SYMBOL_VAR) return;
    if (w->memory.word[symbol->index] < 0) {
        REQUIRE(symbol->column < 0, "a column of a variable that has no word yet");
        world_write_bind(w, symbol->index);
    }
    size_t size =
        world_render(w->world, symbol, w->memory.word[symbol->index], word, sizeof word);
    world_text_append(w->text, (Text){word, size});
}

static void write_rule(Writer *w, const Rule *rule) {
    double total = world_weight(w->world, rule, &w->memory), u = rng_next(&w->rng) * total;
    const Alternative *chosen = NULL;
    for (size_t i = 0; i < rule->count; i++) {
        if (!world_allows(w->world, &rule->alternatives[i], &w->memory)) continue;
        chosen = &rule->alternatives[i];
        u -= chosen->weight;
        if (u < 0) break;
    }
    REQUIRE(chosen, "no alternative of rule '%.*s' fits", (int)rule->name.size,
            rule->name.data);
    w->text->nats -= log(chosen->weight / total);
    w->memory.tags |= chosen->sets;
    for (size_t i = 0; i < chosen->n_symbols; i++) write_symbol(w, &chosen->symbols[i]);
}

void world_write(const World *world, const char *rule, uint64_t seed, uint64_t index,
                 WorldText *text) {
    Writer writer = {world, world_memory(), {seed, index, 0}, text};
    const Rule *start = world_rule(world, rule);
    REQUIRE(start, "no rule '%s'", rule);
    text->size = 0;
    text->nats = 0;
    world_text_append(text, text_of(""));
    write_rule(&writer, start);
}

Text world_opening(const World *world, const char *rule, uint64_t seed, uint64_t index,
                   long words, WorldText *text) {
    size_t end = 0;
    world_write(world, rule, seed, index, text);
    for (; end < text->size && words > 0; end++)
        if (end + 1 < text->size && text->bytes[end + 1] == ' ') words--;
    return (Text){text->bytes, end};
}
