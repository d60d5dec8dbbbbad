/* rules.c - see rules.h. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

void world_close(World *world) {
    if (!world) return;
    for (size_t i = 0; i < world->n_rules; i++) {
        for (size_t j = 0; j < world->rules[i].count; j++)
            free(world->rules[i].alternatives[j].symbols);
        free(world->rules[i].alternatives);
    }
    for (size_t i = 0; i < world->n_classes; i++)
        free(world->classes[i].words), free(world->classes[i].weights);
    free(world->rules);
    free(world->classes);
    free(world->text);
    free(world);
}

Memory world_memory(void) {
    Memory memory = {.tags = 0};
    for (int i = 0; i < WORLD_VARS; i++) memory.word[i] = -1;
    return memory;
}

const Rule *world_rule(const World *world, const char *name) {
    for (size_t i = 0; i < world->n_rules; i++)
        if (text_equal(world->rules[i].name, text_of(name))) return &world->rules[i];
    return NULL;
}

static bool guard_holds(const World *world, const Guard *guard, const Memory *memory) {
    if (guard->tag >= 0) return ((memory->tags >> guard->tag & 1) != 0) != guard->negate;
    int word = memory->word[guard->variable];
    REQUIRE(word >= 0, "a condition on a variable that has no word yet");
    const Class *class = &world->classes[world->variables[guard->variable].class_index];
    return text_equal(class->words[word].columns[guard->column], guard->value) != guard->negate;
}

bool world_allows(const World *world, const Alternative *alternative, const Memory *memory) {
    for (int i = 0; i < alternative->n_guards; i++)
        if (!guard_holds(world, &alternative->guards[i], memory)) return false;
    return true;
}

double world_weight(const World *world, const Rule *rule, const Memory *memory) {
    double total = 0;
    for (size_t i = 0; i < rule->count; i++)
        if (world_allows(world, &rule->alternatives[i], memory))
            total += rule->alternatives[i].weight;
    return total;
}

bool world_word_free(const World *world, int variable, int word, const Memory *memory) {
    const Variable *v = &world->variables[variable];
    if (word % v->parts != v->part - 1) return false;
    for (int i = 0; i < world->n_variables; i++)
        if (world->variables[i].class_index == v->class_index && memory->word[i] == word)
            return false;
    return true;
}

double world_word_weight(const World *world, int variable, int word) {
    const Class *class = &world->classes[world->variables[variable].class_index];
    return class->weights ? class->weights[word] : 1;
}

double world_words_weight(const World *world, int variable, const Memory *memory) {
    double total = 0;
    int words = world->classes[world->variables[variable].class_index].count;
    for (int word = 0; word < words; word++)
        if (world_word_free(world, variable, word, memory))
            total += world_word_weight(world, variable, word);
    return total;
}

size_t world_render(const World *world, const Symbol *symbol, int word, char *out,
                    size_t room) {
    const Word *w = &world->classes[world->variables[symbol->index].class_index].words[word];
    Text text = symbol->column < 0 ? w->text : w->columns[symbol->column];
    bool vowel = text.size && strchr("aeiou", text.data[0]);
    const char *article = symbol->form != 'a' ? "" : vowel ? "an " : "a ";
    size_t before = strlen(article), size = before + text.size;
    REQUIRE(size <= room, "a word of %zu bytes", size);
    memcpy(out, article, before);
    memcpy(out + before, text.data, text.size);
    return size;
}
