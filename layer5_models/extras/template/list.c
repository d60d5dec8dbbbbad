/* list.c - lists, dicts, and iteration.  See value.h. */
#include "value.h"

#include "unicode.h"

#include <string.h>

static bool list_grow(Machine *machine, Value **items, size_t count, size_t room) {
    Value *grown = machine_take_much(machine, room * sizeof *grown);
    if (!grown) return false;
    if (count) memcpy(grown, *items, count * sizeof *grown);
    *items = grown;
    return true;
}

List *list_new(Machine *machine) { return machine_take(machine, sizeof(List)); }

void list_add(Machine *machine, List *list, Value value) {
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 4;
        if (!list_grow(machine, &list->items, list->count, room)) return;
        list->room = room;
    }
    list->items[list->count++] = value;
}

List *list_slice(Machine *machine, const List *list, size_t from, size_t to) {
    List *slice = list_new(machine);
    for (size_t i = from; i < to && i < list->count && machine_work(machine, 1); i++)
        list_add(machine, slice, list->items[i]);
    return slice;
}

Value value_pair(Machine *machine, Value a, Value b) {
    List *pair = list_new(machine);
    list_add(machine, pair, a);
    list_add(machine, pair, b);
    return value_list(IS_TUPLE, pair);
}

/* ------------------------------------------------------------------ dicts */

Dict *dict_new(Machine *machine) { return machine_take(machine, sizeof(Dict)); }

Value *dict_find(Machine *machine, const Dict *dict, Value key) {
    if (key.kind == IS_LIST || key.kind == IS_DICT) {
        machine_raise(machine, "TypeError", "unhashable type: '%s'", type_name(key));
        return NULL;
    }
    machine_work(machine, dict->count / 16);
    for (size_t i = 0; i < dict->count; i++) {
        Value other = dict->keys[i];
        bool equal = key.kind == IS_STRING && other.kind == IS_STRING
                         ? text_equal(string_text(key.string), string_text(other.string))
                         : value_equal(machine, key, other);
        if (equal) return &dict->values[i];
    }
    return NULL;
}

void dict_set(Machine *machine, Dict *dict, Value key, Value value) {
    Value *place = dict_find(machine, dict, key);
    if (place) {
        *place = value;
        return;
    }
    if (dict->count == dict->room) {
        size_t room = dict->room ? 2 * dict->room : 4;
        if (!list_grow(machine, &dict->keys, dict->count, room) ||
            !list_grow(machine, &dict->values, dict->count, room))
            return;
        dict->room = room;
    }
    dict->keys[dict->count] = key;
    dict->values[dict->count++] = value;
}

List *dict_pairs(Machine *machine, const Dict *dict) {
    List *pairs = list_new(machine);
    for (size_t i = 0; i < dict->count && machine_work(machine, 1); i++)
        list_add(machine, pairs, value_pair(machine, dict->keys[i], dict->values[i]));
    return pairs;
}

/* ------------------------------------------------------------------ walking over */

static List *characters(Machine *machine, const String *string) {
    List *list = list_new(machine);
    for (size_t at = 0, taken; at < string->size && machine_work(machine, 1); at += taken) {
        utf8_decode(string->data + at, string->size - at, &taken);
        list_add(machine, list, value_string(string_slice(machine, string, at, at + taken)));
    }
    return list;
}

List *value_items(Machine *machine, Value value) {
    if (value.kind == IS_STRING) return characters(machine, value.string);
    if (value.kind == IS_UNDEFINED) return list_new(machine);
    if (value.kind == IS_GENERATOR) {
        List *all = list_new(machine);
        *all = *value.list;
        value.list->count = 0;
        return all;
    }
    if (is_list(value)) return value.list;
    List *list = list_new(machine);
    if (value.kind == IS_DICT)
        for (size_t i = 0; i < value.dict->count; i++)
            list_add(machine, list, value.dict->keys[i]);
    else
        machine_raise(machine, "TypeError", "'%s' object is not iterable", type_name(value));
    return list;
}

int64_t value_length(Machine *machine, Value value) {
    if (value.kind == IS_STRING) return (int64_t)string_length(machine, value.string);
    if (value.kind == IS_UNDEFINED) return 0;
    if (value.kind == IS_DICT) return (int64_t)value.dict->count;
    if (is_list(value) && value.kind != IS_GENERATOR) return (int64_t)value.list->count;
    machine_raise(machine, "TypeError", "object of type '%s' has no len()", type_name(value));
    return -1;
}
