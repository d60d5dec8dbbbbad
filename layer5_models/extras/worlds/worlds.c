/* worlds.c - see worlds.h. */
#include "worlds.h"
#include "world/rules.h"

#include <stdlib.h>
#include <string.h>

static const char wide_words[] =
#include "wide.world.inc"
    ;

/* The classes with a long tail. */
static const char *const wide_classes[] = {"name", "thing", NULL};

static const struct {
    const char *name;
    const char *words;          /* added to the grammar; NULL: none */
    const char *const *classes; /* weighted by rank */
} worlds[] = {{"tiny", NULL, NULL}, {"wide", wide_words, wide_classes}};

/* Weight 1/k for rank k, counted among the words with the same first column: he and she. */
static bool weigh_by_rank(Class *class, Fault *fault) {
    class->weights = malloc((size_t) class->count * sizeof *class->weights);
    if (!class->weights)
        return fault_set(fault, "no memory for the weights of %d words", class->count);
    for (int i = 0; i < class->count; i++) {
        int rank = 1;
        for (int j = 0; j < i; j++)
            rank += text_equal(class->words[j].columns[0], class->words[i].columns[0]);
        class->weights[i] = 1.0 / rank;
    }
    return true;
}

static bool weigh_classes(World *world, const char *const *names, Fault *fault) {
    for (; names && *names; names++)
        for (size_t i = 0; i < world->n_classes; i++)
            if (text_equal(world->classes[i].name, text_of(*names)) &&
                !weigh_by_rank(&world->classes[i], fault))
                return false;
    return true;
}

static World *open_extended(const char *words, Fault *fault) {
    size_t size = strlen(world_text), more = strlen(words);
    char *text = malloc(size + more + 1);
    if (!text) return fault_set(fault, "no memory for the world"), NULL;
    memcpy(text, world_text, size), memcpy(text + size, words, more + 1);
    World *world = world_open_text(text, fault);
    free(text);
    return world;
}

World *world_open_named(const char *name, Fault *fault) {
    size_t i = 0, n = sizeof worlds / sizeof *worlds;
    while (name && i < n && strcmp(name, worlds[i].name) != 0) i++;
    if (i == n) return fault_set(fault, "--world %.40s: wanted tiny or wide", name), NULL;
    World *world = worlds[i].words ? open_extended(worlds[i].words, fault) : world_open(fault);
    if (world && !weigh_classes(world, worlds[i].classes, fault))
        world_close(world), world = NULL;
    return world;
}
