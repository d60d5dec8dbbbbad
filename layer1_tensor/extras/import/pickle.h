/* pickle.h - the pickles that PyTorch writes, read as data.  Private: for pytorch.c.
 *
 * A pickle is a program for a machine with a stack, and Python runs it: a pickle can call any function there is,
 * which is why files of strangers are not to be opened with it.  Here nothing is called.  Opcodes build numbers,
 * texts, tuples, lists and dictionaries; the functions that a model's file may name are a list of a few, and what
 * they would have made is a value that says so.  All else is refused by its name.
 *
 *     c collections OrderedDict   )  R            an empty dictionary
 *     c torch._utils _rebuild_tensor_v2   ( (storage) offset (shape) (strides) ... t  R     a tensor
 *
 * Invariant: a value's parts were made before it; memory grows with the bytes of the pickle.
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
    PICKLE_STORAGE, /* items: what its persistent id is made of */
    PICKLE_CALL,    /* text: the name; items: what it would be called with */
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

/* Read a pickle.
 *
 *   bytes    borrowed: texts point into it
 *   region   owns all values
 *
 * NULL when it is damaged, has an opcode or a name that is not on the lists, or memory is short. */
const PickleValue *pickle_read(Text bytes, Region *region, Fault *fault);

#endif
