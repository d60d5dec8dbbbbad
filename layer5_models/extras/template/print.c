/* print.c - str and repr.  See print.h. */
#include "print.h"

#include "unicode.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shortest digits that read back as the same number, in Python's layout: 1e+16, 1.5,
 * 1e-05. */
static void build_float(Machine *machine, Builder *builder, double real) {
    char text[40];
    int digits = 1;
    if (isnan(real) || isinf(real)) {
        build_text(machine, builder, isnan(real) ? "nan" : real < 0 ? "-inf" : "inf");
        return;
    }
    do {
        snprintf(text, sizeof text, "%.*e", digits - 1, real);
    } while (strtod(text, NULL) != real && ++digits <= 17);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent >= -4 && exponent < 16)
        snprintf(text, sizeof text, "%.*f", exponent + 1 >= digits ? 1 : digits - 1 - exponent,
                 real);
    build_text(machine, builder, text);
}

/* ------------------------------------------------------------------ repr of strings */

/* Not printable in Python, except unassigned code points. */
static bool is_hidden(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || c == 0x6DD ||
           c == 0x70F || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) ||
           (c >= 0xD800 && c < 0xF900) || c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB) ||
           c >= 0xE0000 || (c != ' ' && unicode_is_space(c));
}

static void build_hidden(Machine *machine, Builder *builder, uint32_t c) {
    const char *place = c < 128 ? strchr("\n\r\t", (int)c) : NULL;
    if (c && place)
        build_format(machine, builder, "\\%c",
                     *place == '\n'   ? 'n'
                     : *place == '\r' ? 'r'
                                      : 't');
    else
        build_format(machine, builder,
                     c < 0x100     ? "\\x%02" PRIx32
                     : c < 0x10000 ? "\\u%04" PRIx32
                                   : "\\U%08" PRIx32,
                     c);
}

/* 'text', or "text" if it contains ' but no ". */
static void build_quoted(Machine *machine, Builder *builder, const String *s) {
    bool single = s->size && memchr(s->data, '\'', s->size),
         both = single && memchr(s->data, '"', s->size);
    char quote = single && !both ? '"' : '\'';
    build_bytes(machine, builder, &quote, NULL, 1);
    for (size_t at = 0, taken; at < s->size; at += taken) {
        uint32_t c = utf8_decode(s->data + at, s->size - at, &taken);
        bool broken = c == 0xFFFD && taken == 1;
        if (c == '\\' || c == (uint32_t)quote) build_text(machine, builder, "\\");
        if (is_hidden(c))
            build_hidden(machine, builder, c);
        else if (broken)
            build_hidden(machine, builder, (unsigned char)s->data[at]);
        else
            build_bytes(machine, builder, s->data + at, s->user ? s->user + at : NULL, taken);
    }
    build_bytes(machine, builder, &quote, NULL, 1);
}

/* ------------------------------------------------------------------ repr of what holds
 * others */

static void build_items(Machine *machine, Builder *builder, const List *list, const char *open,
                        const char *close) {
    build_text(machine, builder, open);
    for (size_t i = 0; i < list->count && !machine->failed; i++) {
        if (i) build_text(machine, builder, ", ");
        build_repr(machine, builder, list->items[i]);
    }
    build_text(machine, builder, close);
}

static void build_dict(Machine *machine, Builder *builder, const Dict *dict) {
    build_text(machine, builder, "{");
    for (size_t i = 0; i < dict->count && !machine->failed; i++) {
        if (i) build_text(machine, builder, ", ");
        build_repr(machine, builder, dict->keys[i]);
        build_text(machine, builder, ": ");
        build_repr(machine, builder, dict->values[i]);
    }
    build_text(machine, builder, "}");
}

static void build_builtin(Machine *machine, Builder *builder, const Bound *bound) {
    const char *name = bound->builtin->name;
    if (bound->builtin->label)
        build_text(machine, builder, bound->builtin->label);
    else if (bound->self.kind != IS_MISSING)
        build_format(machine, builder, "<built-in method %s of %s object at 0x0>", name,
                     type_name(bound->self));
    else
        build_format(machine, builder, "<function %s at 0x0>", name);
}

static void build_compound(Machine *machine, Builder *builder, Value v) {
    switch (v.kind) {
    case IS_LIST: build_items(machine, builder, v.list, "[", "]"); break;
    case IS_TUPLE:
        build_items(machine, builder, v.list, "(", v.list->count == 1 ? ",)" : ")");
        break;
    case IS_VIEW:
        build_text(machine, builder, v.list->label);
        build_items(machine, builder, v.list, "([", "])");
        break;
    case IS_DICT: build_dict(machine, builder, v.dict); break;
    case IS_NAMESPACE:
        build_text(machine, builder, "<Namespace ");
        build_dict(machine, builder, v.dict);
        build_text(machine, builder, ">");
        break;
    case IS_BUILTIN: build_builtin(machine, builder, v.bound); break;
    default: build_format(machine, builder, "<%s object at 0x0>", type_name(v)); break;
    }
}

void build_repr(Machine *machine, Builder *builder, Value v) {
    if (!machine_enter(machine) || !machine_work(machine, 1)) v = value_none();
    switch (v.kind) {
    case IS_MISSING:
    case IS_UNDEFINED: build_text(machine, builder, "Undefined"); break;
    case IS_NONE: build_text(machine, builder, "None"); break;
    case IS_BOOL: build_text(machine, builder, v.truth ? "True" : "False"); break;
    case IS_INT: build_format(machine, builder, "%" PRId64, v.integer); break;
    case IS_BIG: build_string(machine, builder, v.string); break;
    case IS_FLOAT: build_float(machine, builder, v.real); break;
    case IS_STRING:
        if (v.string->safe) build_text(machine, builder, "Markup(");
        build_quoted(machine, builder, v.string);
        if (v.string->safe) build_text(machine, builder, ")");
        break;
    case IS_RANGE:
    case IS_GENERATOR: build_text(machine, builder, v.list->label); break;
    default: build_compound(machine, builder, v); break;
    }
    machine_leave(machine);
}

void build_str(Machine *machine, Builder *builder, Value v) {
    if (v.kind == IS_STRING)
        build_string(machine, builder, v.string);
    else if (v.kind != IS_UNDEFINED)
        build_repr(machine, builder, v);
}

const String *value_str(Machine *machine, Value v) {
    Builder builder = {0};
    if (v.kind == IS_STRING) return v.string;
    build_str(machine, &builder, v);
    return build_end(machine, &builder);
}

const String *string_escape(Machine *machine, const String *s) {
    static const char letters[] = "&<>'\"";
    static const char *const written[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
    Builder builder = {0};
    if (s->safe) return s;
    for (size_t at = 0; at < s->size; at++) {
        const char *place = s->data[at] ? strchr(letters, s->data[at]) : NULL;
        if (place)
            build_text(machine, &builder, written[place - letters]);
        else
            build_bytes(machine, &builder, s->data + at, s->user ? s->user + at : NULL, 1);
    }
    String *safe = machine_take(machine, sizeof *safe);
    *safe = *build_end(machine, &builder);
    safe->safe = true;
    return safe;
}
