/* percent.c - "%s has %5.2f" % (name, x).  See operate.h.
 *
 *     %(name)-05.2f
 *       |    || | |
 *       key  || | conversion: s r d i x o f e g %
 *            || digits after the point
 *            |width
 *            flags: - + 0 blank #  */
#include "library.h"
#include "operate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Percent {
    char flags[8];
    int64_t width, digits; /* digits -1: not given */
    Text key;              /* data NULL: none */
    char conversion;
} Percent;

static int64_t percent_take_number(const String *s, size_t *at) {
    int64_t number = 0;
    for (; *at < s->size && s->data[*at] >= '0' && s->data[*at] <= '9'; ++*at)
        number = number < 100000 ? number * 10 + s->data[*at] - '0' : number;
    return number;
}

static Percent take_percent(Machine *machine, const String *s, size_t *at) {
    Percent p = {.digits = -1};
    size_t flags = 0;
    if (*at < s->size && s->data[*at] == '(') {
        const char *from = s->data + ++*at, *close = memchr(from, ')', s->size - *at);
        if (close) {
            p.key = (Text){from, (size_t)(close - from)};
            *at += p.key.size + 1;
        }
    }
    while (*at < s->size && s->data[*at] && strchr("-+ 0#", s->data[*at]) && flags < 7)
        p.flags[flags++] = s->data[(*at)++];
    p.width = percent_take_number(s, at);
    if (*at < s->size && s->data[*at] == '.') {
        ++*at;
        p.digits = percent_take_number(s, at);
    }
    if (*at == s->size)
        machine_raise(machine, "ValueError", "incomplete format");
    else
        p.conversion = s->data[(*at)++];
    return p;
}

static void percent_build_number(Machine *machine, Builder *builder, const Percent *p,
                                 Value v) {
    char format[32], text[512];
    bool whole = strchr("dixXo", p->conversion) != NULL;
    double real = v.kind == IS_FLOAT ? v.real : v.kind == IS_BOOL ? v.truth : (double)v.integer;
    int64_t integer = v.kind == IS_FLOAT  ? (int64_t)v.real
                      : v.kind == IS_BOOL ? v.truth
                                          : v.integer;
    int width = p->width > 200 ? 200 : (int)p->width,
        digits = p->digits > 100 ? 100 : (int)p->digits;
    if ((v.kind != IS_FLOAT && v.kind != IS_BOOL && v.kind != IS_INT) ||
        (whole && v.kind == IS_FLOAT && !(real > -9e18 && real < 9e18))) {
        machine_raise(machine, "TypeError", "%%%c format: a real number is required, not %s",
                      p->conversion, type_name(v));
        return;
    }
    snprintf(format, sizeof format, whole ? "%%%s*.*" PRId64 : "%%%s*.*%c", p->flags,
             p->conversion);
    if (whole) format[strlen(format) - 1] = p->conversion == 'i' ? 'd' : p->conversion;
    if (whole)
        snprintf(text, sizeof text, format, width, digits, integer);
    else
        snprintf(text, sizeof text, format, width, digits, real);
    build_text(machine, builder, text);
}

static void build_filled(Machine *machine, Builder *builder, const Percent *p, Value v) {
    Builder text = {0};
    if (p->conversion == 's')
        build_str(machine, &text, v);
    else
        build_repr(machine, &text, v);
    const String *s = build_end(machine, &text);
    if (p->digits >= 0) s = string_slice(machine, s, 0, string_offset(s, (size_t)p->digits));
    int64_t blanks = p->width - (int64_t)string_length(machine, s);
    bool left = strchr(p->flags, '-') != NULL;
    for (int64_t i = 0; i < blanks && !left && machine_work(machine, 1); i++)
        build_text(machine, builder, " ");
    build_string(machine, builder, s);
    for (int64_t i = 0; i < blanks && left && machine_work(machine, 1); i++)
        build_text(machine, builder, " ");
}

static Value next_argument(Machine *machine, const Percent *p, Value arguments, size_t *used) {
    bool tuple = arguments.kind == IS_TUPLE;
    if (p->key.data) {
        const Value *value =
            arguments.kind == IS_DICT
                ? dict_find(machine, arguments.dict, value_string(string_of(machine, p->key)))
                : NULL;
        if (!value)
            machine_raise(machine, arguments.kind == IS_DICT ? "KeyError" : "TypeError",
                          arguments.kind == IS_DICT ? "'%.*s'"
                                                    : "format requires a mapping: %.*s",
                          (int)min_size(p->key.size, 60), p->key.data);
        return value ? *value : value_none();
    }
    if (*used >= (tuple ? arguments.list->count : 1)) {
        machine_raise(machine, "TypeError", "not enough arguments for format string");
        return value_none();
    }
    ++*used;
    return tuple ? arguments.list->items[*used - 1] : arguments;
}

Value string_percent(Machine *machine, const String *s, Value arguments) {
    Builder builder = {0};
    size_t used = 0;
    for (size_t at = 0; at < s->size && machine_work(machine, 1);) {
        const char *sign = memchr(s->data + at, '%', s->size - at);
        size_t to = sign ? (size_t)(sign - s->data) : s->size;
        build_string(machine, &builder, string_slice(machine, s, at, to));
        at = to;
        if (!sign) break;
        at++;
        Percent p = take_percent(machine, s, &at);
        if (machine->failed) break;
        if (p.conversion == '%') {
            build_text(machine, &builder, "%");
        } else if (!p.conversion || !strchr("srdixXofeEgG", p.conversion)) {
            machine_raise(machine, "ValueError", "unsupported format character '%c'",
                          p.conversion);
        } else {
            Value value = next_argument(machine, &p, arguments, &used);
            if (machine->failed) break;
            if (strchr("sr", p.conversion))
                build_filled(machine, &builder, &p, value);
            else
                percent_build_number(machine, &builder, &p, value);
        }
    }
    bool one = arguments.kind != IS_TUPLE && arguments.kind != IS_DICT;
    if (used < (one ? 1 : arguments.kind == IS_TUPLE ? arguments.list->count : 0))
        machine_raise(machine, "TypeError",
                      "not all arguments converted during string formatting");
    return build_value(machine, &builder);
}
