/* evaluate.c - expressions: one case per kind of node.  See run.h. */
#include "library.h"
#include "operate.h"
#include "run.h"

#include <string.h>

/* ------------------------------------------------------------------ scopes */

Frame *frame_open(Machine *machine, Frame *outer) {
    Frame *frame = machine_take(machine, sizeof *frame);
    frame->outer = outer;
    return frame;
}

static Value *find_here(const Frame *frame, Text name) {
    for (size_t i = frame->count; i > 0; i--)
        if (text_equal(frame->names[i - 1], name)) return &frame->values[i - 1];
    return NULL;
}

Value *frame_find(Machine *machine, Text name) {
    for (const Frame *frame = machine->frame; frame; frame = frame->outer) {
        Value *value = find_here(frame, name);
        machine_work(machine, frame->count / 32);
        if (value) return value;
    }
    return NULL;
}

void frame_set(Machine *machine, Text name, Value value) {
    Frame *frame = machine->frame;
    Value *place = find_here(frame, name);
    if (place) {
        *place = value;
        return;
    }
    if (frame->count == frame->room) {
        size_t room = frame->room ? 2 * frame->room : 4;
        Text *names = machine_take_much(machine, room * sizeof *names);
        Value *values = machine_take_much(machine, room * sizeof *values);
        if (!names || !values) return;
        if (frame->count) {
            memcpy(names, frame->names, frame->count * sizeof *names);
            memcpy(values, frame->values, frame->count * sizeof *values);
        }
        *frame = (Frame){frame->outer, names, values, frame->count, room};
    }
    frame->names[frame->count] = name;
    frame->values[frame->count++] = value;
}

static Value find_name(Machine *machine, Text name) {
    const Value *value = frame_find(machine, name);
    if (value) return *value;
    const Builtin *global = find_global(name);
    if (global) return value_builtin(machine, global, (Value){.kind = IS_MISSING});
    return value_undefined(machine, "UndefinedError", "'%.*s' is undefined",
                           (int)min_size(name.size, 100), name.data);
}

/* ------------------------------------------------------------------ calls */

Arguments evaluate_arguments(Machine *machine, const Node *list) {
    Arguments arguments = {list_new(machine), dict_new(machine)};
    for (; list && !machine->failed; list = list->next) {
        Value value = evaluate(machine, list->a);
        if (list->name.size)
            dict_set(machine, arguments.named, value_string(string_of(machine, list->name)),
                     value);
        else
            list_add(machine, arguments.given, value);
    }
    return arguments;
}

static Value evaluate_filter(Machine *machine, const Node *node) {
    Value self = evaluate(machine, node->a);
    Arguments arguments = evaluate_arguments(machine, node->list);
    machine->line = node->line;
    return machine->failed ? self : call_filter(machine, node->name, self, arguments);
}

static Value evaluate_test(Machine *machine, const Node *node) {
    Value self = evaluate(machine, node->a);
    Arguments arguments = evaluate_arguments(machine, node->list);
    machine->line = node->line;
    return value_bool(!machine->failed && call_test(machine, node->name, self, arguments));
}

static Value evaluate_call(Machine *machine, const Node *node) {
    Value function = evaluate(machine, node->a);
    Arguments arguments = evaluate_arguments(machine, node->list);
    machine->line = node->line;
    return machine->failed ? function : call_value(machine, function, arguments);
}

/* ------------------------------------------------------------------ the rest */

static Value evaluate_list(Machine *machine, const Node *node) {
    List *list = list_new(machine);
    for (const Node *item = node->list; item && !machine->failed; item = item->next)
        list_add(machine, list, evaluate(machine, item));
    return value_list(node->kind == NODE_LIST ? IS_LIST : IS_TUPLE, list);
}

static Value evaluate_dict(Machine *machine, const Node *node) {
    Dict *dict = dict_new(machine);
    for (const Node *pair = node->list; pair && !machine->failed; pair = pair->next) {
        Value key = evaluate(machine, pair->a);
        dict_set(machine, dict, key, evaluate(machine, pair->b));
    }
    return value_dict(dict);
}

static Value evaluate_comparison(Machine *machine, const Node *node) {
    Value left = evaluate(machine, node->a);
    bool holds = true;
    for (const Node *step = node->list; step && holds && !machine->failed; step = step->next) {
        Value right = evaluate(machine, step->a);
        if (machine->failed) break;
        machine->line = node->line;
        holds = operate_compare(machine, step->op, left, right);
        left = right;
    }
    return value_bool(holds);
}

static Value evaluate_binary(Machine *machine, const Node *node) {
    Value a = evaluate(machine, node->a);
    Value b = evaluate(machine, node->b);
    machine->line = node->line;
    return machine->failed ? a : operate(machine, node->op, a, b);
}

static Value evaluate_choice(Machine *machine, const Node *node) {
    if (value_true(evaluate(machine, node->a))) return evaluate(machine, node->b);
    if (node->c) return evaluate(machine, node->c);
    return value_undefined(machine, "UndefinedError",
                           "the inline if-expression on line %d evaluated to false and no else "
                           "section was defined.",
                           node->line);
}

static Value evaluate_index(Machine *machine, const Node *node) {
    Value of = evaluate(machine, node->a);
    Value key = evaluate(machine, node->b);
    machine->line = node->line;
    return machine->failed ? of : get_item(machine, of, key);
}

static Value evaluate_slice(Machine *machine, const Node *node) {
    Value of = evaluate(machine, node->a), parts[3];
    const Node *part = node->list;
    for (int i = 0; i < 3; i++, part = part->next) parts[i] = evaluate(machine, part);
    machine->line = node->line;
    return machine->failed ? of : get_slice(machine, of, parts);
}

static Value evaluate_node(Machine *machine, const Node *node) {
    Value value;
    switch (node->kind) {
    case NODE_LITERAL: return node->value;
    case NODE_NAME: return find_name(machine, node->name);
    case NODE_LIST:
    case NODE_TUPLE: return evaluate_list(machine, node);
    case NODE_DICT: return evaluate_dict(machine, node);
    case NODE_AND:
        value = evaluate(machine, node->a);
        return value_true(value) ? evaluate(machine, node->b) : value;
    case NODE_OR:
        value = evaluate(machine, node->a);
        return value_true(value) ? value : evaluate(machine, node->b);
    case NODE_NOT: return value_bool(!value_true(evaluate(machine, node->a)));
    case NODE_SIGN: return operate_sign(machine, node->op, evaluate(machine, node->a));
    case NODE_BINARY: return evaluate_binary(machine, node);
    case NODE_COMPARE: return evaluate_comparison(machine, node);
    case NODE_CHOICE: return evaluate_choice(machine, node);
    case NODE_ATTRIBUTE:
        value = evaluate(machine, node->a);
        machine->line = node->line;
        return get_attribute(machine, value, string_of(machine, node->name));
    case NODE_INDEX: return evaluate_index(machine, node);
    case NODE_SLICE: return evaluate_slice(machine, node);
    case NODE_CALL: return evaluate_call(machine, node);
    case NODE_FILTER: return evaluate_filter(machine, node);
    case NODE_TEST: return evaluate_test(machine, node);
    default: break;
    }
    REQUIRE(false, "node %d is not an expression", node->kind);
    return value_none();
}

Value evaluate(Machine *machine, const Node *node) {
    if (machine->failed) return value_none();
    machine->line = node->line;
    Value value = value_none();
    if (machine_enter(machine) && machine_work(machine, 1))
        value = evaluate_node(machine, node);
    machine_leave(machine);
    return value;
}
