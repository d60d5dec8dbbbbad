/* run.h - running the tree.
 *
 *     Frame of an iteration ──▶ Frame of a macro ──▶ top ──▶ variables ──▶ library functions
 *
 * Names are looked up from the innermost scope outwards, and set in the innermost.  A for loop
 * opens a scope per iteration, so what is set there is gone in the next; an if opens none.
 *
 * Invariant: a statement leaves machine->frame, out and flow as they were, even after an
 * error. */
#ifndef STRATA_TEMPLATE_RUN_H
#define STRATA_TEMPLATE_RUN_H

#include "syntax.h"

struct Frame {
    Frame *outer;
    Text *names;
    Value *values;
    size_t count, room;
};

struct Macro {
    const Node *node;
    Frame *frame; /* where it was defined */
    const char *name;
};

struct Loop {
    const Node *node;
    List *items;
    size_t index;
    int depth;
    Frame *frame; /* the enclosing one */
    List *before; /* the last arguments of changed(); NULL: none yet */
};

typedef struct Arguments {
    List *given;
    Dict *named;
} Arguments;

Frame *frame_open(Machine *machine, Frame *outer); /* the caller makes it machine->frame */
Value *frame_find(Machine *machine, Text name);
void frame_set(Machine *machine, Text name, Value value);

Value evaluate(Machine *machine, const Node *node);
Arguments evaluate_arguments(Machine *machine, const Node *list);
void execute(Machine *machine, const Node *list);

/* Assign to a name, to several, or to an attribute of a namespace. */
void assign(Machine *machine, const Node *target, Value value);

/* The text of statements, run in their own scope. */
Value execute_text(Machine *machine, const Node *list, Frame *frame);

Value call_value(Machine *machine, Value function, Arguments arguments);
Value call_builtin(Machine *machine, const Builtin *builtin, Value self, Arguments arguments);
/* writes to the output */
Value run_loop(Machine *machine, const Node *node, Value over, int depth);

/* value.name and value[key]; undefined if there is none. */
Value get_attribute(Machine *machine, Value of, const String *name);
Value get_item(Machine *machine, Value of, Value key);
Value get_slice(Machine *machine, Value of, const Value *parts);

#endif
