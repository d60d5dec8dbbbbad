/* filters_choice.c - map, select and reject, which use other filters and tests; finding a
 * filter. */
#include "library.h"

#include <string.h>

static Arguments rest_of(Machine *machine, const Value *arguments, size_t from) {
    const List *given = arguments[0].list;
    return (Arguments){list_slice(machine, given, from, given->count), arguments[1].dict};
}

static Value filters_choice_generator(List *list, const char *label) {
    list->label = label;
    return value_list(IS_GENERATOR, list);
}

static Value named(Machine *machine, const Value *arguments, const char *name) {
    const Value *value =
        dict_find(machine, arguments[1].dict, value_string(string_of(machine, text_of(name))));
    return value ? *value : (Value){.kind = IS_MISSING};
}

/* A false value counts as a list without items, whatever its type. */
static const List *items_of(Machine *machine, Value self) {
    return value_true(self) ? value_items(machine, self) : list_new(machine);
}

/* xs|map("upper"), xs|map(attribute="name", default="-") */
static Value map(Machine *machine, Value self, const Value *arguments) {
    const List *all = items_of(machine, self);
    List *list = list_new(machine);
    Value path = named(machine, arguments, "attribute"),
          absent = named(machine, arguments, "default");
    bool by_path = arguments[0].list->count == 0 && is_given(path);
    if (by_path && arguments[1].dict->count > 1u + is_given(absent))
        machine_raise(machine, "FilterArgumentError", "Unexpected keyword argument of map");
    if (!by_path && arguments[0].list->count == 0)
        machine_raise(machine, "FilterArgumentError", "map requires a filter argument");
    for (size_t i = 0; i < all->count && !machine->failed; i++) {
        Value item = all->items[i];
        if (by_path) {
            item = follow_path(machine, item, path);
            if (item.kind == IS_UNDEFINED && is_given(absent)) item = absent;
        } else {
            Text name = string_text(want_string(machine, arguments[0].list->items[0]));
            item = call_filter(machine, name, item, rest_of(machine, arguments, 1));
        }
        list_add(machine, list, item);
    }
    return filters_choice_generator(list, "<generator object sync_do_map at 0x0>");
}

/* Items that pass a test (default: truth), or whose attribute does. */
static Value filters_choice_choose(Machine *machine, Value self, const Value *arguments,
                                   bool attribute, bool wanted) {
    const List *all = items_of(machine, self), *given = arguments[0].list;
    List *list = list_new(machine);
    size_t test = attribute ? 1 : 0;
    if (attribute && given->count == 0)
        machine_raise(machine, "FilterArgumentError", "Missing parameter for attribute name");
    for (size_t i = 0; i < all->count && !machine->failed; i++) {
        Value value =
            attribute ? follow_path(machine, all->items[i], given->items[0]) : all->items[i];
        bool holds =
            given->count <= test
                ? value_true(value)
                : call_test(machine, string_text(want_string(machine, given->items[test])),
                            value, rest_of(machine, arguments, test + 1));
        if (holds == wanted) list_add(machine, list, all->items[i]);
    }
    return filters_choice_generator(list, "<generator object select_or_reject at 0x0>");
}
static Value select(Machine *m, Value self, const Value *a) {
    return filters_choice_choose(m, self, a, false, true);
}
static Value reject(Machine *m, Value self, const Value *a) {
    return filters_choice_choose(m, self, a, false, false);
}
static Value selectattr(Machine *m, Value self, const Value *a) {
    return filters_choice_choose(m, self, a, true, true);
}
static Value rejectattr(Machine *m, Value self, const Value *a) {
    return filters_choice_choose(m, self, a, true, false);
}

static const Builtin filters_of_choice[] = {{"map", "*", map, NULL},
                                            {"select", "*", select, NULL},
                                            {"reject", "*", reject, NULL},
                                            {"selectattr", "*", selectattr, NULL},
                                            {"rejectattr", "*", rejectattr, NULL},
                                            {0}};

/* ------------------------------------------------------------------ finding one */

static const Builtin *find_filter(Text name) {
    const Builtin *const tables[] = {filters_of_text, filters_of_lists, filters_of_choice};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const Builtin *filter = tables[i]; filter->name; filter++)
            if (text_equal(name, text_of(filter->name))) return filter;
    return NULL;
}

bool filter_exists(Text name) { return find_filter(name) != NULL; }

Value call_filter(Machine *machine, Text name, Value self, Arguments arguments) {
    const Builtin *filter = find_filter(name);
    if (filter) return call_builtin(machine, filter, self, arguments);
    machine_raise(machine, "TemplateRuntimeError", "No filter named '%.*s' found.",
                  (int)min_size(name.size, 60), name.data);
    return value_none();
}
