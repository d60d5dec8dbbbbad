/* call.c - calls: macros, built-in functions, recursive loops. */
#include "library.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ functions of ours */

enum { MOST_PARAMETERS = 8 };

/* The next of "old new count?"; is it optional? */
static Text next_parameter(Text *rest, bool *optional) {
    Text name = text_cut(rest, ' ');
    *optional = name.data[name.size - 1] == '?';
    name.size -= *optional;
    return name;
}

/* Bind arguments by position or by name; MISSING for omitted optional ones.  Returns how many
 * of the named ones were used. */
static size_t template_call_bind(Machine *machine, const Builtin *builtin, Arguments arguments,
                                 Value *bound) {
    size_t n = 0, used = 0;
    bool optional;
    for (Text rest = text_of(builtin->parameters); rest.size; n++) {
        Text name = next_parameter(&rest, &optional);
        const Value *named =
            dict_find(machine, arguments.named, value_string(string_of(machine, name)));
        if (n < arguments.given->count) {
            bound[n] = arguments.given->items[n];
        } else if (named) {
            bound[n] = *named;
            used++;
        } else if (!optional) {
            machine_raise(machine, "TypeError", "%s() missing required argument '%.*s'",
                          builtin->name, (int)name.size, name.data);
        }
    }
    if (arguments.given->count > n)
        machine_raise(machine, "TypeError", "%s() takes at most %zu arguments (%zu given)",
                      builtin->name, n, arguments.given->count);
    return used;
}

static void refuse_named(Machine *machine, const Builtin *builtin, Arguments arguments) {
    for (size_t i = 0; i < arguments.named->count; i++) {
        Text key = string_text(arguments.named->keys[i].string);
        bool optional, known = false;
        size_t n = 0;
        for (Text rest = text_of(builtin->parameters); rest.size && !known; n++)
            known = text_equal(next_parameter(&rest, &optional), key) &&
                    n >= arguments.given->count;
        if (!known)
            machine_raise(machine, "TypeError",
                          "%s() got an unexpected keyword argument '%.*s'", builtin->name,
                          (int)min_size(key.size, 100), key.data);
    }
}

Value call_builtin(Machine *machine, const Builtin *builtin, Value self, Arguments arguments) {
    Value bound[MOST_PARAMETERS] = {{0}};
    if (strcmp(builtin->parameters, "*") == 0) {
        bound[0] = value_list(IS_TUPLE, arguments.given);
        bound[1] = value_dict(arguments.named);
    } else if (template_call_bind(machine, builtin, arguments, bound) <
               arguments.named->count) {
        refuse_named(machine, builtin, arguments);
    }
    return machine_work(machine, 1) ? builtin->call(machine, self, bound) : value_none();
}

/* ------------------------------------------------------------------ macros */

static bool template_call_take_named(Machine *machine, Dict *named, Text name, Value *value) {
    const Value *found = dict_find(machine, named, value_string(string_of(machine, name)));
    if (!found) return false;
    size_t i = (size_t)(found - named->values);
    *value = *found;
    named->count--;
    memmove(named->keys + i, named->keys + i + 1, (named->count - i) * sizeof *named->keys);
    memmove(named->values + i, named->values + i + 1,
            (named->count - i) * sizeof *named->values);
    return true;
}

/* The rest goes to varargs, kwargs and caller, if the body uses them. */
static void bind_rest(Machine *machine, const Macro *macro, Arguments arguments, size_t n) {
    Value caller = value_undefined(machine, "UndefinedError", "No caller defined");
    if (macro->node->op & 4) {
        template_call_take_named(machine, arguments.named, text_of("caller"), &caller);
        frame_set(machine, text_of("caller"), caller);
    }
    if (macro->node->op & 1)
        frame_set(machine, text_of("varargs"),
                  value_list(IS_TUPLE,
                             list_slice(machine, arguments.given, n, arguments.given->count)));
    else if (arguments.given->count > n)
        machine_raise(machine, "TypeError", "macro '%s' takes not more than %zu argument(s)",
                      macro->name, n);
    if (macro->node->op & 2) {
        frame_set(machine, text_of("kwargs"), value_dict(arguments.named));
    } else if (arguments.named->count) {
        const String *key = arguments.named->keys[0].string;
        machine_raise(machine, "TypeError", "macro '%s' takes no keyword argument '%.*s'",
                      macro->name, (int)min_size(key->size, 100), key->data);
    }
}

static void bind_parameter(Machine *machine, const Macro *macro, const Node *parameter,
                           Arguments arguments, size_t i) {
    Value value = {.kind = IS_MISSING};
    bool given = i < arguments.given->count;
    if (given) value = arguments.given->items[i];
    if (template_call_take_named(machine, arguments.named, parameter->name, &value) && given)
        machine_raise(machine, "TypeError",
                      "macro '%s' got multiple values for argument '%.*s'", macro->name,
                      (int)min_size(parameter->name.size, 100), parameter->name.data);
    if (value.kind == IS_MISSING && parameter->a) value = evaluate(machine, parameter->a);
    if (value.kind == IS_MISSING)
        value = value_undefined(machine, "UndefinedError", "parameter '%.*s' was not provided",
                                (int)min_size(parameter->name.size, 100), parameter->name.data);
    frame_set(machine, parameter->name, value);
}

static Value call_macro(Machine *machine, const Macro *macro, Arguments arguments) {
    Frame *back = machine->frame, *frame = frame_open(machine, macro->frame);
    size_t n = 0;
    machine->frame = frame;
    for (const Node *parameter = macro->node->other; parameter; parameter = parameter->next)
        bind_parameter(machine, macro, parameter, arguments, n++);
    bind_rest(machine, macro, arguments, n);
    Value text =
        machine->failed ? value_none() : execute_text(machine, macro->node->list, frame);
    machine->frame = back;
    return text;
}

/* ------------------------------------------------------------------ any value */

/* {{ loop(children) }} in a recursive loop: run it over other items, as text. */
static Value call_loop(Machine *machine, const Loop *loop, Arguments arguments) {
    Builder builder = {0}, *out = machine->out;
    Frame *back = machine->frame;
    if (!loop->node->op || arguments.given->count != 1) {
        machine_raise(
            machine, "TypeError",
            loop->node->op
                ? "loop() takes one argument"
                : "The loop must have the 'recursive' marker to be called recursively.");
        return value_none();
    }
    machine->out = &builder;
    machine->frame = loop->frame;
    run_loop(machine, loop->node, arguments.given->items[0], loop->depth + 1);
    machine->out = out;
    machine->frame = back;
    return build_value(machine, &builder);
}

Value call_value(Machine *machine, Value function, Arguments arguments) {
    if (!value_there(machine, function)) return function;
    if (function.kind == IS_BUILTIN)
        return call_builtin(machine, function.bound->builtin, function.bound->self, arguments);
    if (function.kind == IS_MACRO) return call_macro(machine, function.macro, arguments);
    if (function.kind == IS_LOOP) return call_loop(machine, function.loop, arguments);
    machine_raise(machine, "TypeError", "'%s' object is not callable", type_name(function));
    return value_none();
}
