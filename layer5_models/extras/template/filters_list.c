/* filters_list.c - filters of lists and dicts. */
#include "library.h"
#include "operate.h"

#include <stdlib.h>
#include <string.h>

static Value filters_list_generator(List *list, const char *label) {
    list->label = label;
    return value_list(IS_GENERATOR, list);
}

Value follow_path(Machine *machine, Value from, Value path) {
    if (path.kind != IS_STRING) return get_item(machine, from, path);
    for (Text rest = string_text(path.string); rest.size && !machine->failed;) {
        Text part = text_cut(&rest, '.');
        int64_t number = 0;
        bool digits = part.size > 0 && part.size < 9;
        for (size_t i = 0; i < part.size && digits; i++) {
            digits = part.data[i] >= '0' && part.data[i] <= '9';
            number = number * 10 + part.data[i] - '0';
        }
        from = get_item(machine, from,
                        digits ? value_int(number) : value_string(string_of(machine, part)));
    }
    return from;
}

/* A string in lower case, for comparison; other values unchanged. */
static Value without_case(Machine *machine, Value value) {
    return value.kind == IS_STRING
               ? value_string(string_case(machine, value.string, CASE_LOWER))
               : value;
}

/* Sort keys of items: an attribute, without case unless case_sensitive. */
static List *filters_list_keys_of(Machine *machine, const List *items, Value attribute,
                                  bool with_case) {
    List *keys = list_new(machine);
    for (size_t i = 0; i < items->count && !machine->failed; i++) {
        Value key = items->items[i];
        if (is_given(attribute) && attribute.kind != IS_NONE)
            key = follow_path(machine, key, attribute);
        list_add(machine, keys, with_case ? key : without_case(machine, key));
    }
    return keys;
}

/* ------------------------------------------------------------------ order */

/* Merge two neighbouring runs, stably. */
static void filters_list_merge(Machine *machine, const Value *keys, const size_t *from,
                               size_t *to, const size_t bounds[3], bool reverse) {
    size_t left = bounds[0], right = bounds[1];
    for (size_t i = bounds[0]; i < bounds[2]; i++) {
        bool take_right = left == bounds[1];
        if (left < bounds[1] && right < bounds[2] && !machine->failed)
            take_right = reverse
                             ? value_less(machine, keys[from[left]], keys[from[right]], "<")
                             : value_less(machine, keys[from[right]], keys[from[left]], "<");
        to[i] = from[take_right ? right++ : left++];
    }
}

/* Sort stably by `keys` (same count). */
static void sort_by(Machine *machine, List *items, List *keys, bool reverse) {
    size_t n = min_size(items->count, keys->count);
    size_t *order = machine_take_much(machine, 2 * (n + 1) * sizeof *order), *other = order + n;
    Value *sorted = machine_take_much(machine, (n + 1) * sizeof *sorted);
    if (!order || !sorted) return;
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t run = 1; run < n && !machine->failed; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            size_t bounds[3] = {at, min_size(at + run, n), min_size(at + 2 * run, n)};
            filters_list_merge(machine, keys->items, order, other, bounds, reverse);
        }
        size_t *swap = order;
        order = other;
        other = swap;
    }
    for (size_t i = 0; i < n; i++) sorted[i] = items->items[order[i]];
    for (size_t i = 0; i < n; i++) items->items[i] = sorted[i];
}

static Value sort(Machine *machine, Value self, const Value *arguments) {
    const List *all = value_items(machine, self);
    List *items = list_slice(machine, all, 0, all->count);
    List *keys = filters_list_keys_of(machine, items, arguments[2], value_true(arguments[1]));
    sort_by(machine, items, keys, value_true(arguments[0]));
    return value_list(IS_LIST, items);
}

static Value dictsort(Machine *machine, Value self, const Value *arguments) {
    bool by_value =
        is_given(arguments[1]) && string_is(want_string(machine, arguments[1]), "value");
    List *items = list_new(machine);
    if (self.kind == IS_DICT)
        items = dict_pairs(machine, self.dict);
    else if (value_there(machine, self))
        machine_raise(machine, "TypeError", "dictsort wants a dict, got %s", type_name(self));
    List *keys =
        filters_list_keys_of(machine, items, value_int(by_value), value_true(arguments[0]));
    sort_by(machine, items, keys, value_true(arguments[2]));
    return value_list(IS_LIST, items);
}

static Value extreme(Machine *machine, Value self, const Value *arguments, bool largest) {
    const List *items = value_items(machine, self);
    const List *keys =
        filters_list_keys_of(machine, items, arguments[1], value_true(arguments[0]));
    size_t best = 0;
    for (size_t i = 1; i < keys->count && !machine->failed; i++)
        if (largest ? value_less(machine, keys->items[best], keys->items[i], ">")
                    : value_less(machine, keys->items[i], keys->items[best], "<"))
            best = i;
    if (keys->count && best < items->count) return items->items[best];
    return value_undefined(machine, "UndefinedError",
                           "No aggregated item, sequence was empty.");
}
static Value min(Machine *m, Value self, const Value *a) { return extreme(m, self, a, false); }
static Value max(Machine *m, Value self, const Value *a) { return extreme(m, self, a, true); }

static Value unique(Machine *machine, Value self, const Value *arguments) {
    const List *items = value_items(machine, self);
    const List *keys =
        filters_list_keys_of(machine, items, arguments[1], value_true(arguments[0]));
    List *list = list_new(machine);
    for (size_t i = 0; i < keys->count && !machine->failed; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = value_equal(machine, keys->items[i], keys->items[j]);
        if (!seen) list_add(machine, list, items->items[i]);
    }
    return filters_list_generator(list, "<generator object do_unique at 0x0>");
}

static Value reverse(Machine *machine, Value self, const Value *arguments) {
    const List *items = value_items(machine, self);
    List *list = list_new(machine);
    Builder builder = {0};
    (void)arguments;
    for (size_t i = items->count; i > 0 && machine_work(machine, 1); i--) {
        if (self.kind == IS_STRING) build_string(machine, &builder, items->items[i - 1].string);
        list_add(machine, list, items->items[i - 1]);
    }
    if (self.kind == IS_STRING) return build_value(machine, &builder);
    return filters_list_generator(list, "<list_reverseiterator object at 0x0>");
}

/* ------------------------------------------------------------------ parts */

static Value first(Machine *machine, Value self, const Value *arguments) {
    const List *items = value_items(machine, self);
    (void)arguments;
    return items->count ? items->items[0]
                        : value_undefined(machine, "UndefinedError",
                                          "No first item, sequence was empty.");
}

static Value last(Machine *machine, Value self, const Value *arguments) {
    const List *items = value_items(machine, self);
    (void)arguments;
    return items->count ? items->items[items->count - 1]
                        : value_undefined(machine, "UndefinedError",
                                          "No last item, sequence was empty.");
}

static Value list(Machine *machine, Value self, const Value *arguments) {
    const List *items = value_items(machine, self);
    (void)arguments;
    return value_list(IS_LIST, list_slice(machine, items, 0, items->count));
}

/* No randomness: the same variables give the same text. */
static Value random_(Machine *machine, Value self, const Value *arguments) {
    return first(machine, self, arguments);
}

static Value items(Machine *machine, Value self, const Value *arguments) {
    (void)arguments;
    if (self.kind != IS_DICT && self.kind != IS_UNDEFINED)
        machine_raise(machine, "TypeError", "Can only get item pairs from a mapping.");
    List *pairs = self.kind == IS_DICT ? dict_pairs(machine, self.dict) : list_new(machine);
    return filters_list_generator(pairs, "<generator object do_items at 0x0>");
}

static Value filters_list_join(Machine *machine, Value self, const Value *arguments) {
    const List *all = value_items(machine, self);
    const String *mark = string_or(machine, arguments[0], "");
    Builder builder = {0};
    for (size_t i = 0; i < all->count && !machine->failed; i++) {
        Value item = all->items[i];
        if (is_given(arguments[1]) && arguments[1].kind != IS_NONE)
            item = follow_path(machine, item, arguments[1]);
        if (i) build_string(machine, &builder, mark);
        build_str(machine, &builder, item);
    }
    return build_value(machine, &builder);
}

static Value batch(Machine *machine, Value self, const Value *arguments) {
    const List *all = value_items(machine, self);
    int64_t size = want_int(machine, arguments[0], 1);
    List *rows = list_new(machine);
    for (size_t at = 0; size > 0 && at < all->count && machine_work(machine, 1);
         at += (size_t)size) {
        List *row = list_slice(machine, all, at,
                               size > (int64_t)all->count ? all->count : at + (size_t)size);
        bool fills = is_given(arguments[1]) && arguments[1].kind != IS_NONE;
        while (fills && (int64_t)row->count < size && machine_work(machine, 1))
            list_add(machine, row, arguments[1]);
        list_add(machine, rows, value_list(IS_LIST, row));
    }
    return filters_list_generator(rows, "<generator object do_batch at 0x0>");
}

static Value filters_list_sum(Machine *machine, Value self, const Value *arguments) {
    const List *all = value_items(machine, self);
    Value total = is_given(arguments[1]) ? arguments[1] : value_int(0);
    for (size_t i = 0; i < all->count && !machine->failed; i++) {
        Value item = all->items[i];
        if (is_given(arguments[0]) && arguments[0].kind != IS_NONE)
            item = follow_path(machine, item, arguments[0]);
        total = operate(machine, '+', total, item);
    }
    return total;
}

/* (key, [items with that key]), in the order of the keys. */
static Value groupby(Machine *machine, Value self, const Value *arguments) {
    const List *all = value_items(machine, self);
    List *sorted = list_slice(machine, all, 0, all->count), *groups = list_new(machine);
    sort_by(machine, sorted, filters_list_keys_of(machine, sorted, arguments[0], false), false);
    const List *keys = filters_list_keys_of(machine, sorted, arguments[0], false);
    for (size_t i = 0, from = 0; i < keys->count && !machine->failed; i++) {
        if (i + 1 < keys->count && value_equal(machine, keys->items[i], keys->items[i + 1]))
            continue;
        Value key = follow_path(machine, sorted->items[from], arguments[0]);
        list_add(machine, groups,
                 value_pair(machine, key,
                            value_list(IS_LIST, list_slice(machine, sorted, from, i + 1))));
        from = i + 1;
    }
    return value_list(IS_LIST, groups);
}

const Builtin filters_of_lists[] = {
    {"join", "d? attribute?", filters_list_join, NULL},
    {"list", "", list, NULL},
    {"first", "", first, NULL},
    {"last", "", last, NULL},
    {"items", "", items, NULL},
    {"reverse", "", reverse, NULL},
    {"sort", "reverse? case_sensitive? attribute?", sort, NULL},
    {"dictsort", "case_sensitive? by? reverse?", dictsort, NULL},
    {"unique", "case_sensitive? attribute?", unique, NULL},
    {"min", "case_sensitive? attribute?", min, NULL},
    {"max", "case_sensitive? attribute?", max, NULL},
    {"sum", "attribute? start?", filters_list_sum, NULL},
    {"batch", "linecount fill_with?", batch, NULL},
    {"groupby", "attribute", groupby, NULL},
    {"random", "", random_, NULL},
    {0}};
