/* worlds.c - see worlds.h. */
#include "worlds.h"
#include "world/rules.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *variables; /* that take any word of their class, not a share */
    const char *classes;   /* weighted by rank */
} worlds[] = {{"tiny", "", ""}, {"wide", "H HK T", "name kind place spot color thing food"}};

/* Is the word in a list with spaces between? */
static bool is_listed(const char *list, Text word) {
    for (Text rest = text_of(list); rest.size;)
        if (text_equal(text_cut(&rest, ' '), word)) return true;
    return false;
}

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

static bool widen(World *world, const char *variables, const char *classes, Fault *fault) {
    for (int i = 0; i < world->n_variables; i++)
        if (is_listed(variables, world->variables[i].name))
            world->variables[i].part = world->variables[i].parts = 1;
    for (size_t i = 0; i < world->n_classes; i++)
        if (is_listed(classes, world->classes[i].name) &&
            !weigh_by_rank(&world->classes[i], fault))
            return false;
    return true;
}

World *world_open_named(const char *name, Fault *fault) {
    size_t i = 0, n = sizeof worlds / sizeof *worlds;
    while (name && i < n && strcmp(name, worlds[i].name) != 0) i++;
    if (i == n) return fault_set(fault, "--world %.40s: wanted tiny or wide", name), NULL;
    World *world = world_open(fault);
    if (world && !widen(world, worlds[i].variables, worlds[i].classes, fault))
        world_close(world), world = NULL;
    return world;
}
