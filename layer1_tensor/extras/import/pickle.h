/* pickle.h - the pickles that PyTorch writes, read as data.  Private: for pytorch.c.
 *
 * A pickle is a program for a stack machine.  Python's may call any function, so unpickling an
 * untrusted file runs its code.  Here nothing is called: opcodes build numbers, strings,
 * tuples, lists and dictionaries; a call of one of the few functions that a model's file may
 * name becomes a PICKLE_CALL value; anything else is refused by name.
 *
 *   c collections OrderedDict   )  R            an empty dictionary
 *   c torch._utils _rebuild_tensor_v2   ( (storage) offset (shape) (strides) ... t R   a tensor
 *
 * Invariant: a value's parts were made before it; memory is bounded by the size of the pickle.
 *
 * Source   CPython's Lib/pickletools.py (the opcodes); torch/_utils.py (the functions). */
#ifndef STRATA_PICKLE_H
#define STRATA_PICKLE_H

#include "fault.h"
#include "region.h"
#include "text.h"

#include <stdint.h>

typedef enum PickleKind {
    PICKLE_NONE,
    PICKLE_BOOL,
    PICKLE_INT,
    PICKLE_FLOAT,
    PICKLE_TEXT,
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT,    /* items: key, value, key, value, ... */
    PICKLE_NAME,    /* text: "torch FloatStorage" */
    PICKLE_STORAGE, /* items: the parts of its persistent id */
    PICKLE_CALL,    /* text: the function; items: its arguments */
    PICKLE_MARK,    /* on the stack only */
} PickleKind;

typedef struct PickleValue PickleValue;
struct PickleValue {
    PickleKind kind;
    int64_t number; /* of INT and BOOL */
    Text text;      /* of TEXT, NAME and CALL */
    size_t count, room;
    const PickleValue **items; /* (count) */
};

/* Parse a pickle.
 *
 *   bytes    borrowed: texts point into it
 *   region   owns all values
 *
 * NULL when it is damaged, has an opcode or name that is not listed, or memory runs out. */
const PickleValue *pickle_read(Text bytes, Region *region, Fault *fault);

#endif
