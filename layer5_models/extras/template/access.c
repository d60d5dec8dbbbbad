/* access.c - attributes, items and slices of values. */
#include "library.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ attributes */

static Value loop_attribute(Machine *machine, const Loop *loop, const String *name) {
    size_t at = loop->index, count = loop->items->count;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        {"index", (int64_t)at + 1},          {"index0", (int64_t)at},
        {"revindex", (int64_t)(count - at)}, {"revindex0", (int64_t)(count - at) - 1},
        {"length", (int64_t)count},          {"depth", loop->depth},
        {"depth0", loop->depth - 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (string_is(name, numbers[i].name)) return value_int(numbers[i].value);
    if (string_is(name, "first")) return value_bool(at == 0);
    if (string_is(name, "last")) return value_bool(at + 1 == count);
    if (string_is(name, "previtem"))
        return at > 0 ? loop->items->items[at - 1]
                      : value_undefined(machine, "UndefinedError", "there is no previous item");
    if (string_is(name, "nextitem"))
        return at + 1 < count
                   ? loop->items->items[at + 1]
                   : value_undefined(machine, "UndefinedError", "there is no next item");
    return (Value){.kind = IS_MISSING};
}

static Value macro_attribute(Machine *machine, const Macro *macro, const String *name) {
    List *names = list_new(machine);
    if (string_is(name, "name")) return value_string(string_of(machine, text_of(macro->name)));
    if (string_is(name, "catch_varargs")) return value_bool(macro->node->op & 1);
    if (string_is(name, "catch_kwargs")) return value_bool(macro->node->op & 2);
    if (string_is(name, "caller")) return value_bool(macro->node->op & 4);
    if (!string_is(name, "arguments")) return (Value){.kind = IS_MISSING};
    for (const Node *parameter = macro->node->other; parameter; parameter = parameter->next)
        list_add(machine, names, value_string(string_of(machine, parameter->name)));
    return value_list(IS_TUPLE, names);
}

static Value own_attribute(Machine *machine, Value of, const String *name) {
    if (name->size > 1 && name->data[0] == '_' && name->data[1] == '_')
        return value_undefined(machine, "SecurityError",
                               "access to attribute '%.*s' of '%s' object is unsafe.",
                               (int)min_size(name->size, 60), name->data, type_name(of));
    if (of.kind == IS_NAMESPACE) {
        const Value *value = dict_find(machine, of.dict, value_string(name));
        return value ? *value : (Value){.kind = IS_MISSING};
    }
    Value value = {.kind = IS_MISSING};
    if (of.kind == IS_LOOP) value = loop_attribute(machine, of.loop, name);
    if (of.kind == IS_MACRO) value = macro_attribute(machine, of.macro, name);
    return value.kind == IS_MISSING ? find_method(machine, of, name) : value;
}

static Value no_attribute(Machine *machine, Value of, const String *name) {
    if (of.kind == IS_NONE)
        return value_undefined(machine, "UndefinedError", "'None' has no attribute '%.*s'",
                               (int)min_size(name->size, 100), name->data);
    return value_undefined(machine, "UndefinedError", "'%s object' has no attribute '%.*s'",
                           type_name(of), (int)min_size(name->size, 100), name->data);
}

/* ------------------------------------------------------------------ items */

static Value no_item(Machine *machine, Value of, Value key) {
    Builder text = {0};
    build_repr(machine, &text, key);
    const String *repr = build_end(machine, &text);
    return value_undefined(machine, "UndefinedError", "%s%s has no element %.*s",
                           of.kind == IS_NONE ? "None" : type_name(of),
                           of.kind == IS_NONE ? "" : " object", (int)min_size(repr->size, 100),
                           repr->data);
}

/* Item number `index`, from the end if negative; MISSING: none. */
static Value numbered(Machine *machine, Value of, int64_t index) {
    bool string = of.kind == IS_STRING;
    int64_t count =
        string ? (int64_t)string_length(machine, of.string) : (int64_t)of.list->count;
    if (index < 0) index += count;
    if (index < 0 || index >= count) return (Value){.kind = IS_MISSING};
    if (!string) return of.list->items[index];
    size_t from = string_offset(of.string, (size_t)index);
    size_t size = string_offset(string_slice(machine, of.string, from, of.string->size), 1);
    return value_string(string_slice(machine, of.string, from, from + size));
}

static Value own_item(Machine *machine, Value of, Value key) {
    bool counts = of.kind == IS_STRING || of.kind == IS_LIST || of.kind == IS_TUPLE ||
                  of.kind == IS_RANGE;
    bool whole = key.kind == IS_INT || key.kind == IS_BOOL;
    if (counts && whole)
        return numbered(machine, of, key.kind == IS_INT ? key.integer : key.truth);
    if (of.kind != IS_DICT) return (Value){.kind = IS_MISSING};
    const Value *value = dict_find(machine, of.dict, key);
    return value ? *value : (Value){.kind = IS_MISSING};
}

/* x.y: the attribute first, then the key; x[y]: the other way round. */
Value get_attribute(Machine *machine, Value of, const String *name) {
    if (!value_there(machine, of)) return of;
    Value value = own_attribute(machine, of, name);
    if (value.kind == IS_MISSING) value = own_item(machine, of, value_string(name));
    return value.kind == IS_MISSING ? no_attribute(machine, of, name) : value;
}

Value get_item(Machine *machine, Value of, Value key) {
    if (!value_there(machine, of)) return of;
    Value value = own_item(machine, of, key);
    if (value.kind == IS_MISSING && key.kind == IS_STRING)
        value = own_attribute(machine, of, key.string);
    if (value.kind != IS_MISSING) return value;
    return key.kind == IS_STRING ? no_attribute(machine, of, key.string)
                                 : no_item(machine, of, key);
}

/* ------------------------------------------------------------------ slices */

/* A slice bound, clamped to low..high as in Python. */
static int64_t bound(Machine *machine, Value part, int64_t count, int64_t low, int64_t high,
                     int64_t absent) {
    if (part.kind == IS_NONE) return absent;
    if (part.kind != IS_INT && part.kind != IS_BOOL) {
        if (value_there(machine, part))
            machine_raise(machine, "TypeError",
                          "slice indices must be integers or None or have an __index__ method");
        return absent;
    }
    int64_t at = part.kind == IS_BOOL ? part.truth : part.integer;
    if (at < 0) at = at < -count ? low : at + count;
    return at < low ? low : at > high ? high : at;
}

Value get_slice(Machine *machine, Value of, const Value *parts) {
    bool string = of.kind == IS_STRING;
    if (!value_there(machine, of)) return of;
    if (!string && of.kind != IS_LIST && of.kind != IS_TUPLE && of.kind != IS_RANGE)
        return value_undefined(machine, "UndefinedError", "%s object has no element slice",
                               type_name(of));
    const List *items = value_items(machine, of);
    int64_t count = (int64_t)items->count, step = want_int(machine, parts[2], 1);
    if (step == 0) machine_raise(machine, "ValueError", "slice step cannot be zero");
    int64_t low = step < 0 ? -1 : 0, high = step < 0 ? count - 1 : count;
    int64_t from = bound(machine, parts[0], count, low, high, step < 0 ? high : low);
    int64_t to = bound(machine, parts[1], count, low, high, step < 0 ? low : high);
    Builder builder = {0};
    List *list = list_new(machine);
    for (int64_t i = from; (step < 0 ? i > to : i < to) && machine_work(machine, 1);
         i += step) {
        if (string)
            build_string(machine, &builder, items->items[i].string);
        else
            list_add(machine, list, items->items[i]);
    }
    if (string) return build_value(machine, &builder);
    return value_list(of.kind == IS_TUPLE ? IS_TUPLE : IS_LIST, list);
}
