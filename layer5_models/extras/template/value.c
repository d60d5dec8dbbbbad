/* value.c - making values; equality and order as in Python.  See value.h. */
#include "value.h"

#include "unicode.h"
#include "json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Value value_none(void) { return (Value){.kind = IS_NONE}; }
Value value_bool(bool truth) { return (Value){IS_BOOL, {.truth = truth}}; }
Value value_int(int64_t integer) { return (Value){IS_INT, {.integer = integer}}; }
Value value_float(double real) { return (Value){IS_FLOAT, {.real = real}}; }
Value value_string(const String *string) { return (Value){IS_STRING, {.string = string}}; }
Value value_list(Kind kind, List *list) { return (Value){kind, {.list = list}}; }
Value value_dict(Dict *dict) { return (Value){IS_DICT, {.dict = dict}}; }

Value value_undefined(Machine *machine, const char *kind, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    Builder builder = {0};
    build_text(machine, &builder, text);
    Absence *absence = machine_take(machine, sizeof *absence);
    *absence = (Absence){kind, build_end(machine, &builder)};
    return (Value){IS_UNDEFINED, {.absence = absence}};
}

Value value_builtin(Machine *machine, const Builtin *builtin, Value self) {
    Bound *bound = machine_take(machine, sizeof *bound);
    *bound = (Bound){builtin, self};
    return (Value){IS_BUILTIN, {.bound = bound}};
}

/* ------------------------------------------------------------------ from JSON */

static Value string_from_json(Machine *machine, Text text, bool user) {
    Builder builder = {0};
    build_bytes(machine, &builder, text.data, NULL, text.size);
    if (user && builder.size) memset(builder.user, 1, builder.size);
    return build_value(machine, &builder);
}

static Value number_from_json(Machine *machine, Text text) {
    char digits[400];
    if (memchr(text.data, '.', text.size) || memchr(text.data, 'e', text.size) ||
        memchr(text.data, 'E', text.size)) {
        snprintf(digits, sizeof digits, "%.*s", (int)min_size(text.size, sizeof digits - 1),
                 text.data);
        return value_float(strtod(digits, NULL));
    }
    int64_t integer = 0;
    bool negative = text.data[0] == '-', fits = true;
    for (size_t i = negative; i < text.size && fits; i++)
        fits = !__builtin_mul_overflow(integer, 10, &integer) &&
               !__builtin_sub_overflow(integer, text.data[i] - '0', &integer);
    if (!fits || (!negative && integer == INT64_MIN))
        return (Value){IS_BIG, {.string = string_from_json(machine, text, false).string}};
    return value_int(negative ? integer : -integer);
}

Value value_from_json(Machine *machine, const JsonValue *json, bool user) {
    switch (json->kind) {
    case JSON_NULL: return value_none();
    case JSON_FALSE:
    case JSON_TRUE: return value_bool(json->kind == JSON_TRUE);
    case JSON_NUMBER: return number_from_json(machine, json->text);
    case JSON_STRING: return string_from_json(machine, json->text, user);
    case JSON_ARRAY: break;
    case JSON_OBJECT: break;
    }
    List *list = list_new(machine);
    Dict *dict = dict_new(machine);
    for (size_t i = 0; i < json->count && !machine->failed; i++) {
        Value value = value_from_json(machine, &json->items[i], user);
        if (json->kind == JSON_ARRAY)
            list_add(machine, list, value);
        else
            dict_set(machine, dict, string_from_json(machine, json->keys[i], user), value);
    }
    return json->kind == JSON_ARRAY ? value_list(IS_LIST, list) : value_dict(dict);
}

/* ------------------------------------------------------------------ what it is */

bool is_list(Value v) { return v.kind >= IS_LIST && v.kind <= IS_GENERATOR; }
bool is_number(Value v) {
    return v.kind == IS_BOOL || v.kind == IS_INT || v.kind == IS_FLOAT || v.kind == IS_BIG;
}

bool value_true(Value v) {
    switch (v.kind) {
    case IS_MISSING:
    case IS_UNDEFINED:
    case IS_NONE: return false;
    case IS_BOOL: return v.truth;
    case IS_INT: return v.integer != 0;
    case IS_FLOAT: return v.real != 0;
    case IS_STRING: return v.string->size > 0;
    case IS_LIST:
    case IS_TUPLE:
    case IS_RANGE:
    case IS_VIEW: return v.list->count > 0;
    case IS_DICT: return v.dict->count > 0;
    default: return true;
    }
}

bool value_there(Machine *machine, Value v) {
    if (v.kind == IS_UNDEFINED)
        machine_raise(machine, v.absence->kind, "%.*s", (int)v.absence->text->size,
                      v.absence->text->data);
    return v.kind != IS_UNDEFINED;
}

const char *type_name(Value v) {
    static const char *const names[] = {[IS_MISSING] = "nothing",
                                        [IS_UNDEFINED] = "Undefined",
                                        [IS_NONE] = "NoneType",
                                        [IS_BOOL] = "bool",
                                        [IS_INT] = "int",
                                        [IS_BIG] = "int",
                                        [IS_FLOAT] = "float",
                                        [IS_STRING] = "str",
                                        [IS_LIST] = "list",
                                        [IS_TUPLE] = "tuple",
                                        [IS_RANGE] = "range",
                                        [IS_VIEW] = "dict_items",
                                        [IS_GENERATOR] = "generator",
                                        [IS_DICT] = "dict",
                                        [IS_NAMESPACE] = "Namespace",
                                        [IS_BUILTIN] = "function",
                                        [IS_MACRO] = "Macro",
                                        [IS_LOOP] = "LoopContext"};
    if (v.kind == IS_VIEW) return v.list->label;
    return v.kind == IS_STRING && v.string->safe ? "Markup" : names[v.kind];
}

/* ------------------------------------------------------------------ two of them */

static double value_real_of(Value v) {
    if (v.kind == IS_BIG) {
        char digits[400];
        snprintf(digits, sizeof digits, "%.*s",
                 (int)min_size(v.string->size, sizeof digits - 1), v.string->data);
        return strtod(digits, NULL);
    }
    return v.kind == IS_FLOAT ? v.real : v.kind == IS_BOOL ? v.truth : (double)v.integer;
}

static int64_t value_whole_of(Value v) { return v.kind == IS_BOOL ? v.truth : v.integer; }
static bool value_is_whole(Value v) { return v.kind == IS_BOOL || v.kind == IS_INT; }

static bool lists_equal(Machine *machine, const List *a, const List *b) {
    bool equal = a->count == b->count;
    for (size_t i = 0; i < a->count && equal; i++)
        equal = value_equal(machine, a->items[i], b->items[i]);
    return equal;
}

static bool dicts_equal(Machine *machine, const Dict *a, const Dict *b) {
    bool equal = a->count == b->count;
    for (size_t i = 0; i < a->count && equal; i++) {
        const Value *other = dict_find(machine, b, a->keys[i]);
        equal = other && value_equal(machine, a->values[i], *other);
    }
    return equal;
}

static bool same_kind_equal(Machine *machine, Value a, Value b) {
    switch (a.kind) {
    case IS_UNDEFINED:
    case IS_NONE: return true;
    case IS_STRING:
        machine_work(machine, a.string->size / 64);
        return text_equal(string_text(a.string), string_text(b.string));
    case IS_LIST:
    case IS_TUPLE:
    case IS_RANGE: return lists_equal(machine, a.list, b.list);
    case IS_DICT: return dicts_equal(machine, a.dict, b.dict);
    case IS_BUILTIN: return a.bound->builtin == b.bound->builtin;
    default: return a.list == b.list; /* identity */
    }
}

bool value_equal(Machine *machine, Value a, Value b) {
    if (!machine_work(machine, 1)) return false;
    if (a.kind == IS_BIG && b.kind == IS_BIG)
        return text_equal(string_text(a.string), string_text(b.string));
    if (value_is_whole(a) && value_is_whole(b)) return value_whole_of(a) == value_whole_of(b);
    if (is_number(a) && is_number(b)) return value_real_of(a) == value_real_of(b);
    if (a.kind != b.kind) return false;
    bool equal = machine_enter(machine) && same_kind_equal(machine, a, b);
    machine_leave(machine);
    return equal;
}

static bool lists_less(Machine *machine, const List *a, const List *b, const char *sign) {
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (!value_equal(machine, a->items[i], b->items[i]))
            return value_less(machine, a->items[i], b->items[i], sign);
    return a->count < b->count;
}

bool value_less(Machine *machine, Value a, Value b, const char *sign) {
    if (!machine_work(machine, 1) || !value_there(machine, a) || !value_there(machine, b))
        return false;
    if (value_is_whole(a) && value_is_whole(b)) return value_whole_of(a) < value_whole_of(b);
    if (is_number(a) && is_number(b)) return value_real_of(a) < value_real_of(b);
    if (a.kind == IS_STRING && b.kind == IS_STRING) {
        size_t size = min_size(a.string->size, b.string->size);
        machine_work(machine, size / 64);
        int order =
            memcmp(a.string->data, b.string->data, size); /* UTF-8 sorts like code points */
        return order ? order < 0 : a.string->size < b.string->size;
    }
    if (a.kind == b.kind && (a.kind == IS_LIST || a.kind == IS_TUPLE)) {
        bool less = machine_enter(machine) && lists_less(machine, a.list, b.list, sign);
        machine_leave(machine);
        return less;
    }
    machine_raise(machine, "TypeError", "'%s' not supported between instances of '%s' and '%s'",
                  sign, type_name(a), type_name(b));
    return false;
}

bool value_in(Machine *machine, Value part, Value whole) {
    if (whole.kind == IS_STRING) {
        if (!value_there(machine, part)) return false;
        if (part.kind == IS_STRING)
            return string_find(machine, whole.string, part.string, 0) != NOWHERE;
        machine_raise(machine, "TypeError",
                      "'in <string>' requires string as left operand, not %s", type_name(part));
        return false;
    }
    if (whole.kind == IS_DICT) return dict_find(machine, whole.dict, part) != NULL;
    if (whole.kind == IS_UNDEFINED) return false;
    if (!is_list(whole)) {
        machine_raise(machine, "TypeError", "argument of type '%s' is not iterable",
                      type_name(whole));
        return false;
    }
    const List *items = value_items(machine, whole);
    bool found = false;
    for (size_t i = 0; i < items->count && !found && !machine->failed; i++)
        found = value_equal(machine, items->items[i], part);
    return found;
}
