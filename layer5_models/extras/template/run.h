/* run.h - running the tree.
 *
 *     Frame of an iteration ──▶ Frame of a macro ──▶ top ──▶ the variables ──▶ (the library's
 *     functions)
 *
 * A name is looked for from the innermost scope outwards, and set in the innermost.  A for loop
 * opens one for each iteration, so what is set in it is gone in the next; an if opens none.
 *
 * Invariant: machine->frame, out and flow are after a statement what they were before it,
 * failed or not. */
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
    Frame *frame; /* where it was written */
    const char *name;
};

struct Loop {
    const Node *node;
    List *items;
    size_t index;
    int depth;
    Frame *frame; /* around it */
    List *before; /* what changed() was told last; NULL: nothing yet */
};

typedef struct Arguments {
    List *given;
    Dict *named;
} Arguments;

Frame *frame_open(Machine *machine, Frame *outer); /* the caller makes it machine->frame */
Value *frame_find(Machine *machine, Text name);
void frame_set(Machine *machine, Text name, Value value);

Value evaluate(Machine *machine, const Node *node);
void execute(Machine *machine, const Node *list);

/* Give a value to a name, to several, to an attribute of a namespace. */
void assign(Machine *machine, const Node *target, Value value);

/* The text of statements, in a scope of their own. */
Value execute_text(Machine *machine, const Node *list, Frame *frame);

Value call_value(Machine *machine, Value function, Arguments arguments);
Value call_builtin(Machine *machine, const Builtin *builtin, Value self, Arguments arguments);
Value call_macro(Machine *machine, const Macro *macro, Arguments arguments);
Value run_loop(Machine *machine, const Node *node, Value over, int depth); /* writes */

/* value.name and value[key]; undefined when there is no such thing. */
Value get_attribute(Machine *machine, Value of, const String *name);
Value get_item(Machine *machine, Value of, Value key);
Value get_slice(Machine *machine, Value of, const Value *parts);

#endif
