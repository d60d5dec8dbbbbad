/* globals.c - the functions that every template may call. */
#include "library.h"

#include <stdio.h>
#include <string.h>

static void copy_pairs(Machine *machine, Dict *to, Value from) {
    const List *items =
        from.kind == IS_DICT ? dict_pairs(machine, from.dict) : value_items(machine, from);
    for (size_t i = 0; i < items->count && !machine->failed; i++) {
        const List *pair = value_items(machine, items->items[i]);
        if (pair->count == 2)
            dict_set(machine, to, pair->items[0], pair->items[1]);
        else
            machine_raise(
                machine, "ValueError",
                "dictionary update sequence element #%zu has length %zu; 2 is required", i,
                pair->count);
    }
}

/* dict({"a": 1}, b=2) */
static Dict *make_dict(Machine *machine, const Value *arguments) {
    Dict *dict = dict_new(machine);
    if (arguments[0].list->count > 1)
        machine_raise(machine, "TypeError", "dict expected at most 1 argument, got %zu",
                      arguments[0].list->count);
    if (arguments[0].list->count) copy_pairs(machine, dict, arguments[0].list->items[0]);
    copy_pairs(machine, dict, arguments[1]);
    return dict;
}

static Value dict(Machine *machine, Value self, const Value *arguments) {
    return (void)self, value_dict(make_dict(machine, arguments));
}

static Value namespace(Machine *machine, Value self, const Value *arguments) {
    return (void)self, (Value){IS_NAMESPACE, {.dict = make_dict(machine, arguments)}};
}

static Value range(Machine *machine, Value self, const Value *arguments) {
    enum { MOST_NUMBERS = 100000 };
    int64_t from = is_given(arguments[1]) ? want_int(machine, arguments[0], 0) : 0;
    int64_t to = want_int(machine, is_given(arguments[1]) ? arguments[1] : arguments[0], 0);
    int64_t step = want_int(machine, arguments[2], 1);
    List *list = list_new(machine);
    char *label = machine_take(machine, 80);
    (void)self;
    snprintf(label, 80, step == 1 ? "range(%lld, %lld)" : "range(%lld, %lld, %lld)",
             (long long)from, (long long)to, (long long)step);
    list->label = label;
    if (step == 0) machine_raise(machine, "ValueError", "range() arg 3 must not be zero");
    for (int64_t i = from; (step > 0 ? i < to : i > to) && machine_work(machine, 1);) {
        list_add(machine, list, value_int(i));
        if (list->count > MOST_NUMBERS)
            machine_raise(
                machine, "OverflowError",
                "Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).");
        if (__builtin_add_overflow(i, step, &i)) break;
    }
    return value_list(IS_RANGE, list);
}

static Value raise_exception(Machine *machine, Value self, const Value *arguments) {
    const String *text = value_str(machine, arguments[0]);
    (void)self;
    machine_raise(machine, "TemplateError", "%.*s", (int)min_size(text->size, 400), text->data);
    return value_none();
}

static Value strftime_now(Machine *machine, Value self, const Value *arguments) {
    const String *format = want_string(machine, arguments[0]);
    char pattern[256], text[512];
    (void)self;
    if (format->size >= sizeof pattern || memchr(format->data, 0, format->size)) {
        machine_raise(machine, "ValueError", "strftime_now: a pattern of %zu bytes",
                      format->size);
        return value_none();
    }
    snprintf(pattern, sizeof pattern, "%.*s", (int)format->size, format->data);
    size_t size = strftime(text, sizeof text, pattern, machine->now);
    Builder builder = {0};
    build_bytes(machine, &builder, text, NULL, size);
    return build_value(machine, &builder);
}

static Value not_built_in(Machine *machine, Value self, const Value *arguments) {
    (void)self, (void)arguments;
    machine_raise(machine, "RuntimeError", "self, cycler, joiner and lipsum are not built in");
    return value_none();
}

static const Builtin globals[] = {
    {"raise_exception", "message", raise_exception, NULL},
    {"namespace", "*", namespace, "<class 'jinja2.utils.Namespace'>"},
    {"range", "start stop? step?", range, "<class 'range'>"},
    {"strftime_now", "format", strftime_now, NULL},
    {"dict", "*", dict, "<class 'dict'>"},
    {"self", "*", not_built_in, "<TemplateReference None>"},
    {"cycler", "*", not_built_in, "<class 'jinja2.utils.Cycler'>"},
    {"joiner", "*", not_built_in, "<class 'jinja2.utils.Joiner'>"},
    {"lipsum", "*", not_built_in, "<function generate_lorem_ipsum at 0x0>"}};

const Builtin *find_global(Text name) {
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
        if (text_equal(name, text_of(globals[i].name))) return &globals[i];
    return NULL;
}
