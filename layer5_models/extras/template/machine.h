/* machine.h - the state of reading and running a template: memory, limits, and the first error.
 *
 * Errors stick: machine_raise keeps the first one and sets `failed`; then every loop ends and
 * values are arbitrary until the caller checks the flag.  So most code need not check for
 * errors.
 *
 * Invariant: machine_take never returns NULL; work and depth stay within their limits. */
#ifndef STRATA_TEMPLATE_MACHINE_H
#define STRATA_TEMPLATE_MACHINE_H

#include "region.h"
#include "template.h"

enum {
    LIMIT_SOURCE = 1 << 20, /* bytes of a template */
    LIMIT_MEMORY = 1 << 26, /* bytes of values */
    LIMIT_OUTPUT = 1 << 22, /* bytes of text */
    LIMIT_WORK = 4000000,   /* nodes evaluated, values compared, lines of 64 bytes moved */
    LIMIT_DEPTH = 400,      /* nested calls, nested brackets */
    RESERVE = 1 << 15
};

typedef struct Machine Machine;
typedef struct Builder Builder;
typedef struct Frame Frame;

typedef enum Flow { FLOW_ON, FLOW_BREAK, FLOW_CONTINUE } Flow;

struct Machine {
    Region region;
    size_t work, depth;
    int line; /* of the template, while read or run */
    bool failed;
    Fault *fault;
    /* while running */
    const struct tm *now;
    Frame *frame;    /* the innermost scope */
    Builder *out;    /* the output */
    Flow flow;       /* of the innermost loop */
    bool escapes;    /* {% autoescape true %} */
    size_t reserved; /* of the reserve, for small allocations after a failure */
    _Alignas(16) unsigned char reserve[RESERVE];
};

/* A small block of memory, zeroed. */
void *machine_take(Machine *machine, size_t size);

/* A large block: NULL and an error if there is no more. */
void *machine_take_much(Machine *machine, size_t size);

/* Record the first error: "line 3: TypeError: ..." */
void machine_raise(Machine *machine, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Count work before doing it.  False: an error, or too much. */
bool machine_work(Machine *machine, size_t amount);

/* One level deeper, and back. */
bool machine_enter(Machine *machine);
void machine_leave(Machine *machine);

#endif
