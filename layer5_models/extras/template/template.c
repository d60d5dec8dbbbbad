/* template.c - reading a template once, running it any number of times.  See template.h. */
#include "library.h"
#include "syntax.h"
#include "json.h"

#include <stdlib.h>
#include <string.h>

struct Template {
    Region region; /* owns the tree */
    Node *list;
};

/* Normalize line ends to \n, and drop the last one. */
static Text plain_lines(Machine *machine, Text source) {
    char *copy = machine_take_much(machine, source.size + 1);
    size_t size = 0;
    if (!copy) return (Text){"", 0};
    for (size_t i = 0; i < source.size; i++) {
        bool pair = source.data[i] == '\r' && i + 1 < source.size && source.data[i + 1] == '\n';
        if (!pair) copy[size++] = source.data[i] == '\r' ? '\n' : source.data[i];
    }
    if (size && copy[size - 1] == '\n') size--;
    return (Text){copy, size};
}

static Machine *machine_open(Fault *fault) {
    Machine *machine = calloc(1, sizeof *machine);
    if (!machine) {
        fault_set(fault, "no memory for a template");
        return NULL;
    }
    machine->region.limit = LIMIT_MEMORY;
    machine->fault = fault;
    machine->line = 1;
    return machine;
}

Template *template_read(Text source, Fault *fault) {
    Machine *machine = machine_open(fault);
    Template *tree = calloc(1, sizeof *tree);
    if (machine && tree) {
        if (source.size > LIMIT_SOURCE)
            machine_raise(machine, "TemplateSyntaxError",
                          "a template of %zu bytes: the most is %d", source.size, LIMIT_SOURCE);
        Text lines = plain_lines(machine, source);
        Parser parser = {.machine = machine, .token = lex(machine, lines)};
        tree->list = parse_template(&parser);
        tree->region = machine->region;
    } else if (machine) {
        machine_raise(machine, "MemoryError", "no memory for a template");
    }
    bool ok = machine && !machine->failed;
    free(machine);
    if (ok) return tree;
    template_free(tree);
    return NULL;
}

void template_free(Template *tree) {
    if (tree) region_free(&tree->region);
    free(tree);
}

/* ------------------------------------------------------------------ running */

static void set_variables(Machine *machine, const JsonValue *variables) {
    machine->frame = frame_open(machine, NULL);
    for (size_t i = 0; i < variables->count && !machine->failed; i++) {
        Text name = variables->keys[i];
        frame_set(machine, name,
                  value_from_json(machine, &variables->items[i],
                                  !text_ends(name, text_of("_token"))));
    }
    machine->frame = frame_open(machine, machine->frame);
}

static bool copy_out(Machine *machine, const Builder *builder, Rendered *out) {
    size_t size = builder->size;
    *out = (Rendered){malloc(size + 1), malloc(size + 1), size};
    if (!out->text || !out->user) {
        rendered_free(out);
        machine_raise(machine, "MemoryError", "no memory for a text of %zu bytes", size);
        return false;
    }
    if (size) {
        memcpy(out->text, builder->data, size);
        memcpy(out->user, builder->user, size);
    }
    out->text[size] = 0;
    return true;
}

bool template_render(const Template *tree, const JsonValue *variables, const struct tm *now,
                     Rendered *out, Fault *fault) {
    *out = (Rendered){0};
    if (!variables || variables->kind != JSON_OBJECT)
        return fault_set(fault,
                         "a template's variables are a JSON object: {\"messages\": [...]}");
    Machine *machine = machine_open(fault);
    if (!machine) return false;
    Builder builder = {0};
    machine->now = now;
    machine->out = &builder;
    set_variables(machine, variables);
    execute(machine, tree->list);
    bool ok = !machine->failed && copy_out(machine, &builder, out);
    region_free(&machine->region);
    free(machine);
    return ok;
}

void rendered_free(Rendered *rendered) {
    free(rendered->text);
    free(rendered->user);
    *rendered = (Rendered){0};
}
