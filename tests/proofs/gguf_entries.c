/* gguf_entries.c
 *
 * Proves    gguf_take_pair and gguf_take_tensor, the readers of one entry of the header, read
 *           only bytes of the file and leave the reader inside it; a value taken lies in the
 *           file, a tensor has 1 to 4 dimensions
 * Bound     48 bytes
 * Source    layer1_tensor/src/gguf/gguf_entries.c layer1_tensor/src/gguf/gguf_read.c
 *           layer1_tensor/src/gguf/gguf_value.c layer1_tensor/src/dtype.c
 * Follow    layer1_tensor/src/gguf/gguf_reader.h | const unsigned char *bytes = reader->at; | reader->at - reader->start
 * Follow    layer1_tensor/src/gguf/gguf_read.c | uint64_t size = take_int(reader, 8, what); | reader->ok
 * Follow    layer1_tensor/src/gguf/gguf_entries.c | pair->count = 1; | reader->ok
 * Follow    layer1_tensor/src/gguf/gguf_entries.c | pair->data = reader->at; | reader->ok
 * Follow    layer1_tensor/src/gguf/gguf_entries.c | uint64_t ndim = take_int | reader->ok
 * Follow    layer1_tensor/src/gguf/gguf_entries.c | tensor->ndim = (int)ndim; | tensor->ndim
 * Options   -eva-precision 2 -eva-interprocedural-splits
 * Mutant    layer1_tensor/src/gguf/gguf_reader.h | size > left(reader) | size > left(reader) + 1
 * Mutant    layer1_tensor/src/gguf/gguf_entries.c | >= GGUF_TYPES | > GGUF_TYPES
 * Alarm     gguf_read.c | assert (uint64_t)info->block != 0 | dtype_info has no block of 0, since it gives NULL for ids without a name
 * Alarm     gguf_entries.c | assert (unsigned long)info->block != 0 | the same
 * Alarm     gguf_read.c | assert count != 0 | the check before the product keeps it from 1 to 2^46 */
#include "gguf/gguf_reader.h"
#include "proof.h"

enum { SIZE = 48 };
static unsigned char file[SIZE];
static Fault fault;
static Reader reader;

static void begin(void) {
    ANY(file);
    reader = (Reader){file, file, file + SIZE, &fault, true};
}

static bool inside(const void *from) {
    const unsigned char *at = from;
    return at >= file && at <= file + SIZE;
}

static void one_pair(void) {
    GgufPair pair = {0};
    //@ dynamic_split reader.ok;
    gguf_take_pair(&reader, &pair);
    PROVE(inside(reader.at));
    if (!reader.ok) return;
    PROVE((unsigned)pair.item < GGUF_TYPES && pair.item != GGUF_ARRAY);
    PROVE(inside(pair.key.data) && inside(pair.data));
}

static void one_tensor(void) {
    GgufTensor tensor = {0};
    //@ dynamic_split reader.ok;
    gguf_take_tensor(&reader, &tensor);
    PROVE(inside(reader.at));
    if (!reader.ok) return;
    PROVE(tensor.ndim >= 1 && tensor.ndim <= TENSOR_MAX_DIMS);
    PROVE(inside(tensor.name.data));
}

int main(void) {
    begin();
    if (Frama_C_nondet(0, 1))
        one_pair();
    else
        one_tensor();
    END();
}
