/* execute.c - statements.  See run.h. */
#include "library.h"
#include "operate.h"
#include "print.h"
#include "run.h"

#include <string.h>

/* ------------------------------------------------------------------ assignment */

static void assign_several(Machine *machine, const Node *target, Value value) {
    const List *items = value_items(machine, value);
    size_t count = 0;
    for (const Node *one = target->list; one; one = one->next) count++;
    if (items->count < count)
        machine_raise(machine, "ValueError",
                      "not enough values to unpack (expected %zu, got %zu)", count,
                      items->count);
    if (items->count > count)
        machine_raise(machine, "ValueError", "too many values to unpack (expected %zu)", count);
    size_t i = 0;
    for (const Node *one = target->list; one && !machine->failed; one = one->next)
        assign(machine, one, items->items[i++]);
}

void assign(Machine *machine, const Node *target, Value value) {
    if (machine->failed) return;
    if (target->kind == NODE_NAME) {
        frame_set(machine, target->name, value);
    } else if (target->kind == NODE_TUPLE) {
        assign_several(machine, target, value);
    } else {
        const Value *space = frame_find(machine, target->a->name);
        if (space && space->kind == IS_NAMESPACE)
            dict_set(machine, space->dict, value_string(string_of(machine, target->name)),
                     value);
        else
            machine_raise(machine, "TemplateRuntimeError",
                          "cannot assign attribute on non-namespace object");
    }
}

/* ------------------------------------------------------------------ text */

static void write_string(Machine *machine, const String *string) {
    build_string(machine, machine->out,
                 machine->escapes ? string_escape(machine, string) : string);
    if (machine->out->size > LIMIT_OUTPUT)
        machine_raise(machine, "MemoryError", "the text is longer than %d MiB",
                      LIMIT_OUTPUT >> 20);
}

Value execute_text(Machine *machine, const Node *list, Frame *frame) {
    Builder builder = {0}, *out = machine->out;
    Frame *back = machine->frame;
    machine->out = &builder;
    machine->frame = frame;
    execute(machine, list);
    machine->out = out;
    machine->frame = back;
    String *text = machine_take(machine, sizeof *text);
    *text = *build_end(machine, &builder);
    text->safe = machine->escapes;
    return value_string(text);
}

/* A block's text through its filters; the first of them finds it under BLOCK_TEXT. */
static Value filtered_text(Machine *machine, const Node *node, const Node *filters) {
    Frame *frame = frame_open(machine, machine->frame), *back = machine->frame;
    Value text = execute_text(machine, node->list, frame);
    machine->frame = frame;
    frame_set(machine, BLOCK_TEXT, text);
    Value value = evaluate(machine, filters);
    machine->frame = back;
    return value;
}

/* ------------------------------------------------------------------ loops */

static List *chosen_items(Machine *machine, const Node *node, const List *all) {
    List *chosen = list_new(machine);
    Frame *back = machine->frame;
    for (size_t i = 0; i < all->count && !machine->failed; i++) {
        machine->frame = frame_open(machine, back);
        assign(machine, node->a, all->items[i]);
        if (value_true(evaluate(machine, node->c))) list_add(machine, chosen, all->items[i]);
    }
    machine->frame = back;
    return chosen;
}

static void run_iterations(Machine *machine, Loop *loop) {
    const Node *node = loop->node;
    for (size_t i = 0; i < loop->items->count && !machine->failed; i++) {
        loop->index = i;
        machine->frame = frame_open(machine, loop->frame);
        frame_set(machine, text_of("loop"), (Value){IS_LOOP, {.loop = loop}});
        assign(machine, node->a, loop->items->items[i]);
        execute(machine, node->list);
        Flow flow = machine->flow;
        machine->flow = FLOW_ON;
        if (flow == FLOW_BREAK) break;
    }
    machine->frame = loop->frame;
}

Value run_loop(Machine *machine, const Node *node, Value over, int depth) {
    const List *all = value_items(machine, over);
    Loop *loop = machine_take(machine, sizeof *loop);
    *loop = (Loop){.node = node, .depth = depth, .frame = machine->frame};
    loop->items =
        node->c ? chosen_items(machine, node, all) : list_slice(machine, all, 0, all->count);
    if (loop->items->count == 0) {
        Frame *back = machine->frame;
        machine->frame = frame_open(machine, back);
        execute(machine, node->other);
        machine->frame = back;
    } else {
        run_iterations(machine, loop);
    }
    return value_none();
}

/* ------------------------------------------------------------------ macros */

static Value new_macro(Machine *machine, const Node *node, const char *name) {
    Macro *macro = machine_take(machine, sizeof *macro);
    *macro = (Macro){node, machine->frame, name};
    return (Value){IS_MACRO, {.macro = macro}};
}

static const char *macro_name(Machine *machine, Text name) {
    char *copy = machine_take(machine, name.size + 1 <= 256 ? name.size + 1 : 256);
    memcpy(copy, name.data, min_size(name.size, 255));
    return copy;
}

/* {% call(x) f(y) %}...: f is called with a macro named caller. */
static void execute_call_block(Machine *machine, const Node *node) {
    const Node *call = node->a;
    Value function = evaluate(machine, call->a);
    Arguments arguments = evaluate_arguments(machine, call->list);
    dict_set(machine, arguments.named, value_string(string_of(machine, text_of("caller"))),
             new_macro(machine, node, "caller"));
    if (!machine->failed)
        write_string(machine, value_str(machine, call_value(machine, function, arguments)));
}

/* ------------------------------------------------------------------ the others */

static void execute_with(Machine *machine, const Node *node) {
    Frame *back = machine->frame, *frame = frame_open(machine, back);
    for (const Node *set = node->other; set && !machine->failed; set = set->next) {
        Value value = evaluate(machine, set->b);
        machine->frame = frame;
        assign(machine, set->a, value);
        machine->frame = back;
    }
    machine->frame = frame;
    execute(machine, node->list);
    machine->frame = back;
}

static void execute_scope(Machine *machine, const Node *node) {
    Frame *back = machine->frame;
    bool escapes = machine->escapes;
    machine->frame = frame_open(machine, back);
    if (node->kind == NODE_AUTOESCAPE)
        machine->escapes = value_true(evaluate(machine, node->a));
    execute(machine, node->list);
    machine->escapes = escapes;
    machine->frame = back;
}

static void execute_node(Machine *machine, const Node *node) {
    switch (node->kind) {
    case NODE_TEXT: build_string(machine, machine->out, node->value.string); break;
    case NODE_PRINT:
        write_string(machine, value_str(machine, evaluate(machine, node->a)));
        break;
    case NODE_IF:
        execute(machine, value_true(evaluate(machine, node->a)) ? node->list : node->other);
        break;
    case NODE_FOR: run_loop(machine, node, evaluate(machine, node->b), 1); break;
    case NODE_SET: assign(machine, node->a, evaluate(machine, node->b)); break;
    case NODE_SET_BLOCK: assign(machine, node->a, filtered_text(machine, node, node->b)); break;
    case NODE_FILTER_BLOCK:
        write_string(machine, value_str(machine, filtered_text(machine, node, node->a)));
        break;
    case NODE_MACRO:
        frame_set(machine, node->name,
                  new_macro(machine, node, macro_name(machine, node->name)));
        break;
    case NODE_CALL_BLOCK: execute_call_block(machine, node); break;
    case NODE_WITH: execute_with(machine, node); break;
    case NODE_SCOPE:
    case NODE_AUTOESCAPE: execute_scope(machine, node); break;
    case NODE_BREAK: machine->flow = FLOW_BREAK; break;
    case NODE_CONTINUE: machine->flow = FLOW_CONTINUE; break;
    default: REQUIRE(false, "node %d is not a statement", node->kind);
    }
}

void execute(Machine *machine, const Node *list) {
    if (!machine_enter(machine)) list = NULL;
    for (; list && machine->flow == FLOW_ON && machine_work(machine, 1); list = list->next) {
        machine->line = list->line;
        execute_node(machine, list);
    }
    machine_leave(machine);
}
