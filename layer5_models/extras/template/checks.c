/* checks.c - tests: x is defined, x is divisibleby 3. */
#include "library.h"
#include "operate.h"

static bool checks_whole(Value v) { return v.kind == IS_INT || v.kind == IS_BIG; }

static Value is_defined(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind != IS_UNDEFINED);
}
static Value is_undefined(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_UNDEFINED);
}
static Value is_none(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_NONE);
}
static Value is_boolean(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_BOOL);
}
static Value is_true(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_BOOL && v.truth);
}
static Value is_false(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_BOOL && !v.truth);
}
static Value checks_is_integer(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(checks_whole(v));
}
static Value is_float(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_FLOAT);
}
static Value is_a_number(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(is_number(v));
}
static Value is_string(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_STRING);
}
static Value is_mapping(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_DICT);
}
static Value is_escaped(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(v.kind == IS_STRING && v.string->safe);
}

static bool holds_others(Value v) {
    return v.kind == IS_STRING || v.kind == IS_DICT || v.kind == IS_UNDEFINED || is_list(v);
}
static Value is_iterable(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a, value_bool(holds_others(v));
}
static Value checks_is_sequence(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a,
           value_bool(holds_others(v) && v.kind != IS_GENERATOR && v.kind != IS_VIEW);
}
static Value is_callable(Machine *m, Value v, const Value *a) {
    return (void)m, (void)a,
           value_bool(v.kind == IS_BUILTIN || v.kind == IS_MACRO || v.kind == IS_LOOP ||
                      v.kind == IS_UNDEFINED);
}

/* Does v % by equal `rest`? */
static Value leaves(Machine *machine, Value v, Value by, int64_t rest) {
    return value_bool(value_equal(machine, operate(machine, '%', v, by), value_int(rest)));
}
static Value is_even(Machine *m, Value v, const Value *a) {
    return (void)a, leaves(m, v, value_int(2), 0);
}
static Value is_odd(Machine *m, Value v, const Value *a) {
    return (void)a, leaves(m, v, value_int(2), 1);
}
static Value is_divisibleby(Machine *m, Value v, const Value *a) {
    return leaves(m, v, a[0], 0);
}

static Value is_lower(Machine *m, Value v, const Value *a) {
    const String *text = value_str(m, v);
    return (void)a,
           value_bool(
               text_equal(string_text(text), string_text(string_case(m, text, CASE_LOWER))) &&
               !text_equal(string_text(text), string_text(string_case(m, text, CASE_UPPER))));
}
static Value is_upper(Machine *m, Value v, const Value *a) {
    const String *text = value_str(m, v);
    return (void)a,
           value_bool(
               text_equal(string_text(text), string_text(string_case(m, text, CASE_UPPER))) &&
               !text_equal(string_text(text), string_text(string_case(m, text, CASE_LOWER))));
}

static Value is_eq(Machine *m, Value v, const Value *a) {
    return value_bool(value_equal(m, v, a[0]));
}
static Value is_ne(Machine *m, Value v, const Value *a) {
    return value_bool(!value_equal(m, v, a[0]));
}
static Value is_lt(Machine *m, Value v, const Value *a) {
    return value_bool(operate_compare(m, '<', v, a[0]));
}
static Value is_le(Machine *m, Value v, const Value *a) {
    return value_bool(operate_compare(m, TWO('<', '='), v, a[0]));
}
static Value is_gt(Machine *m, Value v, const Value *a) {
    return value_bool(operate_compare(m, '>', v, a[0]));
}
static Value is_ge(Machine *m, Value v, const Value *a) {
    return value_bool(operate_compare(m, TWO('>', '='), v, a[0]));
}
static Value is_in(Machine *m, Value v, const Value *a) {
    return value_bool(value_in(m, v, a[0]));
}

/* Identity, not equality: Python shares small integers, we treat all of them as shared. */
static Value is_sameas(Machine *machine, Value v, const Value *a) {
    bool shared = v.kind == a[0].kind && (v.kind <= IS_INT || v.kind == IS_STRING);
    return value_bool(shared ? value_equal(machine, v, a[0])
                             : v.kind == a[0].kind && v.list == a[0].list);
}

static Value is_filter(Machine *m, Value v, const Value *a) {
    return (void)a, value_bool(filter_exists(string_text(want_string(m, v))));
}
static Value is_test(Machine *m, Value v, const Value *a) {
    return (void)a, value_bool(test_exists(string_text(want_string(m, v))));
}

static const Builtin tests[] = {{"defined", "", is_defined, NULL},
                                {"undefined", "", is_undefined, NULL},
                                {"none", "", is_none, NULL},
                                {"boolean", "", is_boolean, NULL},
                                {"true", "", is_true, NULL},
                                {"false", "", is_false, NULL},
                                {"integer", "", checks_is_integer, NULL},
                                {"float", "", is_float, NULL},
                                {"number", "", is_a_number, NULL},
                                {"string", "", is_string, NULL},
                                {"mapping", "", is_mapping, NULL},
                                {"iterable", "", is_iterable, NULL},
                                {"sequence", "", checks_is_sequence, NULL},
                                {"callable", "", is_callable, NULL},
                                {"even", "", is_even, NULL},
                                {"odd", "", is_odd, NULL},
                                {"divisibleby", "num", is_divisibleby, NULL},
                                {"lower", "", is_lower, NULL},
                                {"upper", "", is_upper, NULL},
                                {"escaped", "", is_escaped, NULL},
                                {"sameas", "other", is_sameas, NULL},
                                {"in", "seq", is_in, NULL},
                                {"eq", "other", is_eq, NULL},
                                {"equalto", "other", is_eq, NULL},
                                {"==", "other", is_eq, NULL},
                                {"ne", "other", is_ne, NULL},
                                {"!=", "other", is_ne, NULL},
                                {"lt", "other", is_lt, NULL},
                                {"lessthan", "other", is_lt, NULL},
                                {"<", "other", is_lt, NULL},
                                {"le", "other", is_le, NULL},
                                {"<=", "other", is_le, NULL},
                                {"gt", "other", is_gt, NULL},
                                {"greaterthan", "other", is_gt, NULL},
                                {">", "other", is_gt, NULL},
                                {"ge", "other", is_ge, NULL},
                                {">=", "other", is_ge, NULL},
                                {"filter", "", is_filter, NULL},
                                {"test", "", is_test, NULL}};

static const Builtin *find_test(Text name) {
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (text_equal(name, text_of(tests[i].name))) return &tests[i];
    return NULL;
}

bool test_exists(Text name) { return find_test(name) != NULL; }

bool call_test(Machine *machine, Text name, Value self, Arguments arguments) {
    const Builtin *test = find_test(name);
    if (test) return value_true(call_builtin(machine, test, self, arguments));
    machine_raise(machine, "TemplateRuntimeError", "No test named '%.*s' found.",
                  (int)min_size(name.size, 60), name.data);
    return false;
}
