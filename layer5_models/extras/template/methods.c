/* methods.c - the methods of lists, dicts and loops, and finding a method. */
#include "library.h"

#include <string.h>

bool is_given(Value argument) { return argument.kind != IS_MISSING; }

const String *want_string(Machine *machine, Value argument) {
    if (argument.kind == IS_STRING) return argument.string;
    if (argument.kind == IS_UNDEFINED)
        value_there(machine, argument);
    else
        machine_raise(machine, "TypeError", "expected a str, got %s", type_name(argument));
    return string_of(machine, text_of(""));
}

int64_t want_int(Machine *machine, Value argument, int64_t absent) {
    if (argument.kind == IS_MISSING || argument.kind == IS_NONE) return absent;
    if (argument.kind == IS_INT) return argument.integer;
    if (argument.kind == IS_BOOL) return argument.truth;
    if (value_there(machine, argument))
        machine_raise(machine, "TypeError", "'%s' object cannot be interpreted as an integer",
                      type_name(argument));
    return absent;
}

const String *string_or(Machine *machine, Value argument, const char *absent) {
    return argument.kind == IS_MISSING ? string_of(machine, text_of(absent))
                                       : want_string(machine, argument);
}

/* ------------------------------------------------------------------ lists */

static Value list_index(Machine *machine, Value self, const Value *arguments) {
    for (size_t i = 0; i < self.list->count && !machine->failed; i++)
        if (value_equal(machine, self.list->items[i], arguments[0]))
            return value_int((int64_t)i);
    machine_raise(machine, "ValueError", "the value is not in the list");
    return value_int(-1);
}

static Value list_count(Machine *machine, Value self, const Value *arguments) {
    int64_t n = 0;
    for (size_t i = 0; i < self.list->count && !machine->failed; i++)
        n += value_equal(machine, self.list->items[i], arguments[0]);
    return value_int(n);
}

static Value list_copy(Machine *machine, Value self, const Value *arguments) {
    return (void)arguments,
           value_list(IS_LIST, list_slice(machine, self.list, 0, self.list->count));
}

/* The only mutation that Jinja's sandbox allows. */
static Value list_pop(Machine *machine, Value self, const Value *arguments) {
    List *list = self.list;
    int64_t at = want_int(machine, arguments[0], -1), count = (int64_t)list->count;
    if (at < 0) at += count;
    if (at < 0 || at >= count) {
        machine_raise(machine, "IndexError",
                      count ? "pop index out of range" : "pop from empty list");
        return value_none();
    }
    List *rest = list_new(machine);
    Value taken = list->items[at];
    for (int64_t i = 0; i < count; i++)
        if (i != at) list_add(machine, rest, list->items[i]);
    *list = *rest; /* a new copy: iterations over the old one are not affected */
    return taken;
}

static const Builtin methods_of_lists[] = {{"index", "value", list_index, NULL},
                                           {"count", "value", list_count, NULL},
                                           {"copy", "", list_copy, NULL},
                                           {"pop", "index?", list_pop, NULL},
                                           {0}};

/* ------------------------------------------------------------------ dicts */

static Value view(List *list, const char *label) {
    list->label = label;
    return value_list(IS_VIEW, list);
}

static Value dict_items(Machine *machine, Value self, const Value *arguments) {
    return (void)arguments, view(dict_pairs(machine, self.dict), "dict_items");
}

static Value column(Machine *machine, const Value *values, size_t count, const char *label) {
    List *list = list_new(machine);
    for (size_t i = 0; i < count && machine_work(machine, 1); i++)
        list_add(machine, list, values[i]);
    return view(list, label);
}

static Value dict_keys(Machine *machine, Value self, const Value *arguments) {
    return (void)arguments, column(machine, self.dict->keys, self.dict->count, "dict_keys");
}

static Value dict_values(Machine *machine, Value self, const Value *arguments) {
    return (void)arguments, column(machine, self.dict->values, self.dict->count, "dict_values");
}

static Value dict_get(Machine *machine, Value self, const Value *arguments) {
    const Value *value = dict_find(machine, self.dict, arguments[0]);
    return value ? *value : is_given(arguments[1]) ? arguments[1] : value_none();
}

static Value dict_copy(Machine *machine, Value self, const Value *arguments) {
    Dict *copy = dict_new(machine);
    (void)arguments;
    for (size_t i = 0; i < self.dict->count && machine_work(machine, 1); i++)
        dict_set(machine, copy, self.dict->keys[i], self.dict->values[i]);
    return value_dict(copy);
}

static const Builtin methods_of_dicts[] = {
    {"items", "", dict_items, NULL},   {"keys", "", dict_keys, NULL},
    {"values", "", dict_values, NULL}, {"get", "key default?", dict_get, NULL},
    {"copy", "", dict_copy, NULL},     {0}};

/* ------------------------------------------------------------------ loops */

static Value loop_cycle(Machine *machine, Value self, const Value *arguments) {
    const List *all = arguments[0].list;
    if (all->count) return all->items[self.loop->index % all->count];
    machine_raise(machine, "TypeError", "no items for cycling given");
    return value_none();
}

static Value loop_changed(Machine *machine, Value self, const Value *arguments) {
    Loop *loop = self.loop;
    Value now = arguments[0], before = value_list(IS_TUPLE, loop->before);
    if (loop->before && value_equal(machine, before, now)) return value_bool(false);
    loop->before = now.list;
    return value_bool(true);
}

static const Builtin methods_of_loops[] = {
    {"cycle", "*", loop_cycle, NULL}, {"changed", "*", loop_changed, NULL}, {0}};

/* ------------------------------------------------------------------ finding one */

/* Mutating methods: they exist, but are refused. */
static bool methods_changes(Value of, const String *name) {
    static const char *const of_lists[] = {"append", "clear",   "extend", "insert",
                                           "remove", "reverse", "sort"};
    static const char *const of_dicts[] = {"clear", "pop", "popitem", "setdefault", "update"};
    const char *const *names = of.kind == IS_LIST ? of_lists : of_dicts;
    for (size_t i = 0; i < (of.kind == IS_LIST ? 7 : of.kind == IS_DICT ? 5 : 0); i++)
        if (string_is(name, names[i])) return true;
    return false;
}

Value find_method(Machine *machine, Value of, const String *name) {
    const Builtin *table = of.kind == IS_STRING ? methods_of_strings
                           : of.kind == IS_LIST ? methods_of_lists
                           : of.kind == IS_DICT ? methods_of_dicts
                           : of.kind == IS_LOOP ? methods_of_loops
                                                : NULL;
    if (of.kind == IS_TUPLE && (string_is(name, "index") || string_is(name, "count")))
        table = methods_of_lists;
    if (methods_changes(of, name))
        return value_undefined(machine, "SecurityError",
                               "access to attribute '%.*s' of '%s' object is unsafe.",
                               (int)name->size, name->data, type_name(of));
    for (; table && table->name; table++)
        if (string_is(name, table->name)) return value_builtin(machine, table, of);
    return (Value){.kind = IS_MISSING};
}
