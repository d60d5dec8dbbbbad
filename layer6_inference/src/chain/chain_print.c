/* chain_print.c - a chain becomes a text.  See chain.h. */
#include "chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Printer {
    char *text;
    size_t used, room;
} Printer;

static void chain_print_put(Printer *p, const char *text) {
    size_t size = strlen(text);
    NEED_MEMORY(GROW(p->text, p->room, p->used + size + 1), "the text of a chain");
    memcpy(p->text + p->used, text, size + 1);
    p->used += size;
}

/* The shortest decimal form that reads back as the same number. */
static void chain_print_put_number(Printer *p, double value) {
    char out[40];
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(out, sizeof out, "%.0f", value);
    else
        for (int digits = 1; digits <= 17; digits++) {
            snprintf(out, sizeof out, "%.*g", digits, value);
            if (strtod(out, NULL) == value) break;
        }
    chain_print_put(p, out);
}

static void chain_print_put_stage(Printer *p, const Stage *stage) {
    const StageKind *kind = stage->kind;
    chain_print_put(p, kind->name);
    if (stage_is_off(stage) && stage_takes_off(kind)) {
        chain_print_put(p, ":off");
        return;
    }
    if (stage->list_text) chain_print_put(p, stage->list_text);
    for (int i = 0; i < STAGE_PARAMS && kind->params[i].key; i++) {
        const StageParam *param = &kind->params[i];
        if (!param->required && stage->value[i] == param->default_value) continue;
        bool bare = param->required && i == 0 && !stage->list_text;
        chain_print_put(p, ":");
        if (!bare) chain_print_put(p, param->key), chain_print_put(p, "=");
        chain_print_put_number(p, stage->value[i]);
    }
}

char *chain_print(const Chain *chain) {
    Printer printer = {0};
    chain_print_put(&printer, "");
    for (size_t i = 0; i < chain->count; i++) {
        if (i) chain_print_put(&printer, ",");
        chain_print_put_stage(&printer, &chain->stages[i]);
    }
    return printer.text;
}
