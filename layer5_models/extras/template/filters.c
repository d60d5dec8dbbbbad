/* filters.c - filters of one value: text, numbers, defaults. */
#include "library.h"
#include "operate.h"

#include "unicode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most filters convert their value to text. */
static const String *text_value(Machine *machine, Value self) {
    return value_str(machine, self);
}

static Value filters_upper(Machine *m, Value self, const Value *a) {
    return (void)a, value_string(string_case(m, text_value(m, self), CASE_UPPER));
}
static Value filters_lower(Machine *m, Value self, const Value *a) {
    return (void)a, value_string(string_case(m, text_value(m, self), CASE_LOWER));
}
static Value filters_capitalize(Machine *m, Value self, const Value *a) {
    return (void)a, value_string(string_case(m, text_value(m, self), CASE_CAPITAL));
}

/* Each word capitalized; words end at white space and brackets. */
static Value filters_title(Machine *machine, Value self, const Value *arguments) {
    const String *s = text_value(machine, self);
    Builder builder = {0};
    (void)arguments;
    for (size_t at = 0; at < s->size && machine_work(machine, 1);) {
        size_t to = at;
        while (to < s->size && !(s->data[to] && strchr(" \t\n\r\f\v-({[<", s->data[to]))) to++;
        build_string(machine, &builder,
                     string_case(machine, string_slice(machine, s, at, to), CASE_CAPITAL));
        build_string(machine, &builder, string_slice(machine, s, to, to + 1));
        at = to + 1;
    }
    return build_value(machine, &builder);
}

static Value filters_trim(Machine *machine, Value self, const Value *arguments) {
    const String *set = is_given(arguments[0]) && arguments[0].kind != IS_NONE
                            ? want_string(machine, arguments[0])
                            : NULL;
    return value_string(string_strip(machine, text_value(machine, self), set, true, true));
}

static Value filters_replace(Machine *machine, Value self, const Value *arguments) {
    return value_string(
        string_replace(machine, text_value(machine, self), value_str(machine, arguments[0]),
                       value_str(machine, arguments[1]), want_int(machine, arguments[2], -1)));
}

static Value string(Machine *machine, Value self, const Value *arguments) {
    return (void)arguments, value_string(text_value(machine, self));
}

static Value default_(Machine *machine, Value self, const Value *arguments) {
    bool any = is_given(arguments[1]) && value_true(arguments[1]);
    if (self.kind != IS_UNDEFINED && !(any && !value_true(self))) return self;
    return is_given(arguments[0]) ? arguments[0]
                                  : value_string(string_of(machine, text_of("")));
}

static Value length(Machine *machine, Value self, const Value *arguments) {
    return (void)arguments, value_int(value_length(machine, self));
}

static Value wordcount(Machine *machine, Value self, const Value *arguments) {
    const String *s = text_value(machine, self);
    int64_t count = 0;
    bool inside = false;
    (void)arguments;
    for (size_t at = 0, taken; at < s->size; at += taken) {
        unsigned kind = 1u << unicode_category(utf8_decode(s->data + at, s->size - at, &taken));
        bool word = kind & (UNICODE_LETTERS | UNICODE_NUMBERS) || s->data[at] == '_';
        count += word && !inside;
        inside = word;
    }
    return value_int(count);
}

static Value indent(Machine *machine, Value self, const Value *arguments) {
    const String *s = text_value(machine, self);
    Builder blanks = {0}, builder = {0};
    int64_t width = arguments[0].kind == IS_STRING ? 0 : want_int(machine, arguments[0], 4);
    bool first = is_given(arguments[1]) && value_true(arguments[1]),
         blank = is_given(arguments[2]) && value_true(arguments[2]);
    if (arguments[0].kind == IS_STRING) build_string(machine, &blanks, arguments[0].string);
    for (; width > 0 && machine_work(machine, 1); width--) build_text(machine, &blanks, " ");
    const String *space = build_end(machine, &blanks);
    for (size_t from = 0; from <= s->size && machine_work(machine, 1);) {
        const char *newline =
            from < s->size ? memchr(s->data + from, '\n', s->size - from) : NULL;
        size_t to = newline ? (size_t)(newline - s->data) : s->size;
        if (from == 0 ? first : blank || to > from) build_string(machine, &builder, space);
        build_string(machine, &builder, string_slice(machine, s, from, to + 1));
        from = to + 1;
    }
    return build_value(machine, &builder);
}

static Value filters_center(Machine *machine, Value self, const Value *arguments) {
    Value text = value_string(text_value(machine, self)),
          width[2] = {is_given(arguments[0]) ? arguments[0] : value_int(80)};
    for (const Builtin *method = methods_of_strings; method->name; method++)
        if (strcmp(method->name, "center") == 0) return method->call(machine, text, width);
    return text;
}

static Value truncate(Machine *machine, Value self, const Value *arguments) {
    const String *s = text_value(machine, self), *end = string_or(machine, arguments[2], "...");
    int64_t most = want_int(machine, arguments[0], 255),
            leeway = want_int(machine, arguments[3], 5);
    bool kills = is_given(arguments[1]) && value_true(arguments[1]);
    int64_t kept = most - (int64_t)string_length(machine, end);
    if (kept < 0)
        machine_raise(machine, "AssertionError", "expected length >= %lld",
                      (long long)(most - kept));
    if (machine->failed || (int64_t)string_length(machine, s) <= most + leeway)
        return value_string(s);
    const String *cut = string_slice(machine, s, 0, string_offset(s, (size_t)kept));
    size_t to = cut->size;
    while (to > 0 && !kills && cut->data[to - 1] != ' ') to--;
    Builder builder = {0};
    build_string(machine, &builder,
                 to > 0 && !kills ? string_slice(machine, cut, 0, to - 1) : cut);
    build_string(machine, &builder, end);
    return build_value(machine, &builder);
}

/* "%s: %d"|filters_format(a, b) */
static Value filters_format(Machine *machine, Value self, const Value *arguments) {
    if (arguments[0].list->count && arguments[1].dict->count)
        machine_raise(machine, "FilterArgumentError",
                      "can't handle positional and keyword arguments at the same time");
    return string_percent(machine, text_value(machine, self),
                          arguments[1].dict->count ? arguments[1] : arguments[0]);
}

/* ------------------------------------------------------------------ for the web */

static Value safe(Machine *machine, Value self, const Value *arguments) {
    String *copy = machine_take(machine, sizeof *copy);
    (void)arguments;
    *copy = *text_value(machine, self);
    copy->safe = true;
    return value_string(copy);
}

static Value escape(Machine *machine, Value self, const Value *arguments) {
    return (void)arguments, value_string(string_escape(machine, text_value(machine, self)));
}

static Value forceescape(Machine *machine, Value self, const Value *arguments) {
    const String *s = text_value(machine, self);
    Builder builder = {0};
    (void)arguments;
    build_string(machine, &builder, s); /* not marked safe any more */
    return value_string(string_escape(machine, build_end(machine, &builder)));
}

/* Remove <...>, and collapse white space. */
static Value striptags(Machine *machine, Value self, const Value *arguments) {
    const String *s = text_value(machine, self);
    Builder builder = {0}, words = {0};
    (void)arguments;
    for (size_t at = 0; at < s->size && machine_work(machine, 1);) {
        const char *open = memchr(s->data + at, '<', s->size - at);
        size_t to = open ? (size_t)(open - s->data) : s->size;
        const char *close = open ? memchr(open, '>', s->size - to) : NULL;
        if (!close) to = s->size;
        build_string(machine, &builder, string_slice(machine, s, at, to));
        at = close ? (size_t)(close - s->data) + 1 : s->size;
    }
    Value text = build_value(machine, &builder), none[2] = {{0}};
    const List *list = methods_of_strings[0].call(machine, text, none).list; /* split() */
    for (size_t i = 0; i < list->count && !machine->failed; i++) {
        if (i) build_text(machine, &words, " ");
        build_string(machine, &words, list->items[i].string);
    }
    return build_value(machine, &words);
}

static void build_percent(Machine *machine, Builder *builder, const String *s, bool query) {
    for (size_t at = 0; at < s->size; at++) {
        unsigned char c = (unsigned char)s->data[at];
        bool plain = (unsigned)(c | 32) - 'a' < 26 || (unsigned)c - '0' < 10 ||
                     (c && strchr(query ? "_.-~" : "_.-~/", c));
        if (plain && c < 128)
            build_bytes(machine, builder, s->data + at, s->user ? s->user + at : NULL, 1);
        else if (query && c == ' ')
            build_text(machine, builder, "+");
        else
            build_format(machine, builder, "%%%02X", c);
    }
}

static Value urlencode(Machine *machine, Value self, const Value *arguments) {
    Builder builder = {0};
    (void)arguments;
    if (self.kind != IS_DICT) {
        build_percent(machine, &builder, text_value(machine, self), false);
        return build_value(machine, &builder);
    }
    for (size_t i = 0; i < self.dict->count && machine_work(machine, 1); i++) {
        if (i) build_text(machine, &builder, "&");
        build_percent(machine, &builder, value_str(machine, self.dict->keys[i]), true);
        build_text(machine, &builder, "=");
        build_percent(machine, &builder, value_str(machine, self.dict->values[i]), true);
    }
    return build_value(machine, &builder);
}

static Value tojson(Machine *machine, Value self, const Value *arguments) {
    JsonStyle style = {.ascii = value_true(arguments[0]), .sort = value_true(arguments[3])};
    Builder blanks = {0}, builder = {0};
    if (arguments[1].kind == IS_STRING) {
        style.indent = arguments[1].string;
    } else if (is_given(arguments[1]) && arguments[1].kind != IS_NONE) {
        for (int64_t n = want_int(machine, arguments[1], 0); n > 0 && machine_work(machine, 1);
             n--)
            build_text(machine, &blanks, " ");
        style.indent = build_end(machine, &blanks);
    }
    style.comma = string_of(machine, text_of(style.indent ? "," : ", "));
    style.colon = string_of(machine, text_of(": "));
    if (is_given(arguments[2]) && arguments[2].kind != IS_NONE) {
        const List *pair = value_items(machine, arguments[2]);
        if (pair->count != 2)
            machine_raise(machine, "ValueError", "tojson: separators are two strings");
        if (pair->count == 2)
            style.comma = want_string(machine, pair->items[0]),
            style.colon = want_string(machine, pair->items[1]);
    }
    build_json(machine, &builder, self, &style, 0);
    return build_value(machine, &builder);
}

/* ------------------------------------------------------------------ numbers */

static bool read_real(Machine *machine, Value self, double *real) {
    char text[128], *end;
    if (self.kind == IS_BOOL || self.kind == IS_INT || self.kind == IS_FLOAT) {
        *real = self.kind == IS_FLOAT  ? self.real
                : self.kind == IS_BOOL ? self.truth
                                       : (double)self.integer;
        return true;
    }
    if (self.kind != IS_STRING) return false;
    const String *s = string_strip(machine, self.string, NULL, true, true);
    if (s->size == 0 || s->size >= sizeof text || memchr(s->data, 'x', s->size) ||
        memchr(s->data, 'X', s->size) || memchr(s->data, '(', s->size))
        return false;
    snprintf(text, sizeof text, "%.*s", (int)s->size, s->data);
    *real = strtod(text, &end);
    return *end == 0;
}

static bool read_int(Machine *machine, const String *s, int64_t base, int64_t *integer) {
    char text[128], *end;
    s = string_strip(machine, s, NULL, true, true);
    if (s->size == 0 || s->size >= sizeof text || base < 0 || base > 36 || base == 1)
        return false;
    snprintf(text, sizeof text, "%.*s", (int)s->size, s->data);
    *integer = strtoll(text, &end, (int)base);
    return *end == 0;
}

static Value int_(Machine *machine, Value self, const Value *arguments) {
    Value absent = is_given(arguments[0]) ? arguments[0] : value_int(0);
    int64_t integer;
    double real;
    if (self.kind == IS_INT || self.kind == IS_BIG) return self;
    if (!value_there(machine, self)) return absent;
    if (self.kind == IS_STRING &&
        read_int(machine, self.string, want_int(machine, arguments[1], 10), &integer))
        return value_int(integer);
    if (!read_real(machine, self, &real) || !(real > -9.2e18 && real < 9.2e18)) return absent;
    return value_int((int64_t)real);
}

static Value float_(Machine *machine, Value self, const Value *arguments) {
    double real;
    if (!value_there(machine, self)) return self;
    if (read_real(machine, self, &real)) return value_float(real);
    return is_given(arguments[0]) ? arguments[0] : value_float(0);
}

static Value abs_(Machine *machine, Value self, const Value *arguments) {
    (void)arguments;
    if (self.kind == IS_FLOAT) return value_float(fabs(self.real));
    if (self.kind == IS_INT && self.integer > INT64_MIN) return value_int(llabs(self.integer));
    if (self.kind == IS_BOOL) return value_int(self.truth);
    if (value_there(machine, self))
        machine_raise(machine, "TypeError", "bad operand type for abs(): '%s'",
                      type_name(self));
    return self;
}

/* Rounded to so many digits after the point, half to even. */
static double round_to(double real, int64_t digits) {
    char text[400];
    if (digits > 20 || isinf(real) || isnan(real)) return real;
    if (digits < 0)
        return digits < -20 ? 0
                            : rint(real / pow(10, (double)-digits)) * pow(10, (double)-digits);
    snprintf(text, sizeof text, "%.*f", (int)digits, real);
    return strtod(text, NULL);
}

static Value round_(Machine *machine, Value self, const Value *arguments) {
    int64_t digits = want_int(machine, arguments[0], 0);
    const String *method = string_or(machine, arguments[1], "common");
    double real, scale = pow(10, digits > 300 ? 300 : digits < -300 ? -300 : (double)digits);
    if (!value_there(machine, self)) return self;
    if (self.kind == IS_STRING || !read_real(machine, self, &real)) {
        machine_raise(machine, "TypeError", "type %s doesn't define __round__ method",
                      type_name(self));
        return self;
    }
    if (string_is(method, "ceil")) return value_float(ceil(real * scale) / scale);
    if (string_is(method, "floor")) return value_float(floor(real * scale) / scale);
    if (!string_is(method, "common"))
        machine_raise(machine, "FilterArgumentError", "method must be common, ceil or floor");
    if (self.kind == IS_FLOAT) return value_float(round_to(real, digits));
    return digits >= 0 ? self : value_int((int64_t)round_to(real, digits));
}

const Builtin filters_of_text[] = {
    {"tojson", "ensure_ascii? indent? separators? sort_keys?", tojson, NULL},
    {"trim", "chars?", filters_trim, NULL},
    {"length", "", length, NULL},
    {"count", "", length, NULL},
    {"string", "", string, NULL},
    {"default", "default_value? boolean?", default_, NULL},
    {"d", "default_value? boolean?", default_, NULL},
    {"upper", "", filters_upper, NULL},
    {"lower", "", filters_lower, NULL},
    {"capitalize", "", filters_capitalize, NULL},
    {"title", "", filters_title, NULL},
    {"replace", "old new count?", filters_replace, NULL},
    {"indent", "width? first? blank?", indent, NULL},
    {"center", "width?", filters_center, NULL},
    {"truncate", "length? killwords? end? leeway?", truncate, NULL},
    {"wordcount", "", wordcount, NULL},
    {"format", "*", filters_format, NULL},
    {"safe", "", safe, NULL},
    {"escape", "", escape, NULL},
    {"e", "", escape, NULL},
    {"forceescape", "", forceescape, NULL},
    {"striptags", "", striptags, NULL},
    {"urlencode", "", urlencode, NULL},
    {"int", "default? base?", int_, NULL},
    {"float", "default?", float_, NULL},
    {"abs", "", abs_, NULL},
    {"round", "precision? method?", round_, NULL},
    {0}};
