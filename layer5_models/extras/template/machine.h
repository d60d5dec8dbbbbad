/* machine.h - what reads and runs a template works with: memory, limits, and the first thing
 * that went wrong.
 *
 * Errors stick: machine_raise keeps the first one and sets `failed`; from then on every loop
 * ends and every value is as good as another, until the caller sees the flag.  So nothing has
 * to be checked twice.
 *
 * Invariant: machine_take never returns NULL; work and depth stay within their limits. */
#ifndef STRATA_TEMPLATE_MACHINE_H
#define STRATA_TEMPLATE_MACHINE_H

#include "pieces.h"
#include "template.h"

enum {
    LIMIT_SOURCE = 1 << 20, /* bytes of a template */
    LIMIT_MEMORY = 1 << 26, /* bytes of values */
    LIMIT_OUTPUT = 1 << 22, /* bytes of text */
    LIMIT_WORK = 4000000,   /* nodes evaluated, values compared, lines of 64 bytes moved */
    LIMIT_DEPTH = 400,      /* calls inside calls, brackets inside brackets */
    RESERVE = 1 << 15
};

typedef struct Machine Machine;
typedef struct Builder Builder;
typedef struct Frame Frame;

typedef enum Flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE } Flow;

struct Machine {
    Pieces pieces;
    size_t work, depth;
    int line; /* of the template, being read or run */
    bool failed;
    Fault *fault;
    /* while it runs */
    const struct tm *now;
    Frame *frame;    /* the innermost scope */
    Builder *out;    /* what is written goes here */
    Flow flow;       /* of the innermost loop */
    bool escapes;    /* {% autoescape true %} */
    size_t reserved; /* of the reserve, for small things taken on the way out of a failure */
    _Alignas(16) unsigned char reserve[RESERVE];
};

/* Memory for one small thing, zeroed. */
void *machine_take(Machine *machine, size_t size);

/* Memory that may be much: NULL, and a failure, when there is no more. */
void *machine_take_much(Machine *machine, size_t size);

/* The first thing that went wrong: "line 3: TypeError: ..." */
void machine_raise(Machine *machine, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Some work is to be done.  False when something has failed or there was too much of it. */
bool machine_work(Machine *machine, size_t amount);

/* One level deeper, and back. */
bool machine_enter(Machine *machine);
void machine_leave(Machine *machine);

#endif
