/* operate.c - see operate.h. */
#include "operate.h"
#include "lexer.h"
#include "print.h"

#include <math.h>
#include <string.h>

static Value no_value(Machine *machine, const char *kind, const char *text) {
    machine_raise(machine, kind, "%s", text);
    return value_none();
}

static Value unsupported(Machine *machine, const char *op, Value a, Value b) {
    machine_raise(machine, "TypeError", "unsupported operand type(s) for %s: '%s' and '%s'", op,
                  type_name(a), type_name(b));
    return value_none();
}

static bool operate_is_whole(Value v) { return v.kind == IS_BOOL || v.kind == IS_INT; }
static int64_t operate_whole_of(Value v) { return v.kind == IS_BOOL ? v.truth : v.integer; }
static double operate_real_of(Value v) {
    return v.kind == IS_FLOAT ? v.real : (double)operate_whole_of(v);
}

/* ------------------------------------------------------------------ numbers */

static Value power(Machine *machine, int64_t base, int64_t exponent) {
    int64_t result = 1;
    if (exponent < 0 && base == 0)
        return no_value(machine, "ZeroDivisionError",
                        "0.0 cannot be raised to a negative power");
    if (exponent < 0) return value_float(pow((double)base, (double)exponent));
    if (base == 0 || base == 1) return value_int(exponent == 0 ? 1 : base);
    if (base == -1) return value_int(exponent % 2 ? -1 : 1);
    for (int64_t i = 0; i < exponent; i++)
        if (__builtin_mul_overflow(result, base, &result))
            return no_value(machine, "OverflowError", "an integer beyond 64 bits");
    return value_int(result);
}

/* Division rounds down, and the remainder has the divisor's sign. */
static Value whole_division(Machine *machine, int op, int64_t a, int64_t b) {
    if (b == 0)
        return no_value(machine, "ZeroDivisionError",
                        op == '%' ? "integer modulo by zero"
                                  : "integer division or modulo by zero");
    if (b == -1) return op == '%' ? value_int(0) : operate_sign(machine, '-', value_int(a));
    int64_t rest = a % b, quotient = a / b;
    if (rest && (rest < 0) != (b < 0)) rest += b, quotient--;
    return value_int(op == '%' ? rest : quotient);
}

static Value whole_operation(Machine *machine, int op, int64_t a, int64_t b) {
    int64_t result = 0;
    bool over = false;
    switch (op) {
    case '+': over = __builtin_add_overflow(a, b, &result); break;
    case '-': over = __builtin_sub_overflow(a, b, &result); break;
    case '*': over = __builtin_mul_overflow(a, b, &result); break;
    case '/':
        if (b == 0) return no_value(machine, "ZeroDivisionError", "division by zero");
        return value_float((double)a / (double)b);
    case TWO('*', '*'): return power(machine, a, b);
    default: return whole_division(machine, op, a, b);
    }
    if (over) return no_value(machine, "OverflowError", "an integer beyond 64 bits");
    return value_int(result);
}

static Value real_operation(Machine *machine, int op, double a, double b) {
    double rest;
    switch (op) {
    case '+': return value_float(a + b);
    case '-': return value_float(a - b);
    case '*': return value_float(a * b);
    case TWO('*', '*'):
        if (a == 0 && b < 0)
            return no_value(machine, "ZeroDivisionError",
                            "0.0 cannot be raised to a negative power");
        if (a < 0 && b != floor(b))
            return no_value(machine, "ValueError", "the power is a complex number");
        return value_float(pow(a, b));
    default: break;
    }
    if (b == 0) return no_value(machine, "ZeroDivisionError", "float division by zero");
    if (op == '/') return value_float(a / b);
    rest = fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
    return value_float(op == '%' ? rest : floor((a - rest) / b + 0.5));
}

Value operate_sign(Machine *machine, int op, Value a) {
    int64_t result;
    if (!value_there(machine, a)) return a;
    if (a.kind == IS_FLOAT) return value_float(op == '-' ? -a.real : a.real);
    if (!operate_is_whole(a)) {
        machine_raise(machine, "TypeError", "bad operand type for unary %c: '%s'", op,
                      type_name(a));
        return value_none();
    }
    if (op == '+') return value_int(operate_whole_of(a));
    if (__builtin_sub_overflow((int64_t)0, operate_whole_of(a), &result))
        return no_value(machine, "OverflowError", "an integer beyond 64 bits");
    return value_int(result);
}

/* ------------------------------------------------------------------ strings and lists */

static Value add_strings(Machine *machine, const String *a, const String *b) {
    Builder builder = {0};
    bool safe = a->safe || b->safe;
    build_string(machine, &builder, safe ? string_escape(machine, a) : a);
    build_string(machine, &builder, safe ? string_escape(machine, b) : b);
    String *sum = machine_take(machine, sizeof *sum);
    *sum = *build_end(machine, &builder);
    sum->safe = safe;
    return value_string(sum);
}

static Value add_lists(Machine *machine, Value a, Value b) {
    List *sum = list_slice(machine, a.list, 0, a.list->count);
    for (size_t i = 0; i < b.list->count && machine_work(machine, 1); i++)
        list_add(machine, sum, b.list->items[i]);
    return value_list(a.kind, sum);
}

static Value repeat(Machine *machine, Value a, int64_t times) {
    Builder builder = {0};
    List *list = list_new(machine);
    bool empty = a.kind == IS_STRING ? a.string->size == 0 : a.list->count == 0;
    for (int64_t i = 0; i < times && !empty && machine_work(machine, 1); i++) {
        if (a.kind == IS_STRING) build_string(machine, &builder, a.string);
        for (size_t j = 0; a.kind != IS_STRING && j < a.list->count && machine_work(machine, 1);
             j++)
            list_add(machine, list, a.list->items[j]);
    }
    return a.kind == IS_STRING ? build_value(machine, &builder) : value_list(a.kind, list);
}

static Value operate_join(Machine *machine, Value a, Value b) {
    Builder builder = {0};
    build_str(machine, &builder, a);
    build_str(machine, &builder, b);
    return build_value(machine, &builder);
}

static bool operate_is_sequence(Value v) {
    return v.kind == IS_STRING || v.kind == IS_LIST || v.kind == IS_TUPLE;
}

static Value operate_add(Machine *machine, Value a, Value b) {
    if (a.kind == IS_STRING && b.kind == IS_STRING)
        return add_strings(machine, a.string, b.string);
    if (operate_is_sequence(a) && a.kind == b.kind) return add_lists(machine, a, b);
    if (!operate_is_sequence(a)) return unsupported(machine, "+", a, b);
    machine_raise(machine, "TypeError", "can only concatenate %s (not \"%s\") to %s",
                  type_name(a), type_name(b), type_name(a));
    return value_none();
}

static Value multiply(Machine *machine, Value a, Value b) {
    if (operate_is_sequence(a) && operate_is_whole(b))
        return repeat(machine, a, operate_whole_of(b));
    if (operate_is_whole(a) && operate_is_sequence(b))
        return repeat(machine, b, operate_whole_of(a));
    if (!operate_is_sequence(a) && !operate_is_sequence(b))
        return unsupported(machine, "*", a, b);
    machine_raise(machine, "TypeError", "can't multiply sequence by non-int of type '%s'",
                  type_name(operate_is_sequence(a) ? b : a));
    return value_none();
}

Value operate(Machine *machine, int op, Value a, Value b) {
    char sign[3] = {(char)(op > 127 ? op >> 8 : op), (char)(op > 127 ? op & 127 : 0), 0};
    if (op == '~') return operate_join(machine, a, b);
    if (!value_there(machine, a) || !value_there(machine, b)) return value_none();
    if (operate_is_whole(a) && operate_is_whole(b))
        return whole_operation(machine, op, operate_whole_of(a), operate_whole_of(b));
    if (a.kind == IS_BIG || b.kind == IS_BIG)
        return no_value(machine, "OverflowError", "an integer beyond 64 bits");
    if (is_number(a) && is_number(b))
        return real_operation(machine, op, operate_real_of(a), operate_real_of(b));
    if (op == '+') return operate_add(machine, a, b);
    if (op == '*') return multiply(machine, a, b);
    if (op == '%' && a.kind == IS_STRING) return string_percent(machine, a.string, b);
    return unsupported(machine, sign, a, b);
}

bool operate_compare(Machine *machine, int op, Value a, Value b) {
    switch (op) {
    case TWO('=', '='): return value_equal(machine, a, b);
    case TWO('!', '='): return !value_equal(machine, a, b);
    case '<': return value_less(machine, a, b, "<");
    case '>': return value_less(machine, b, a, ">");
    case TWO('<', '='): return value_less(machine, a, b, "<=") || value_equal(machine, a, b);
    case TWO('>', '='): return value_less(machine, b, a, ">=") || value_equal(machine, a, b);
    case 'i': return value_in(machine, a, b);
    default: return !value_in(machine, a, b);
    }
}
