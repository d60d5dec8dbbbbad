/* pickle.c
 *
 * Proves    one step of the machine reads only the pickle, and stays in its stack and its memo
 * Bound     opcode, the next 0 to 4 bytes, 0 to 3 values on the stack, 0 or 1 in the memo
 * Source    layer1_tensor/src/text.c layer1_tensor/src/gguf/gguf_read.c layer1_tensor/src/gguf/gguf_value.c
 * Follow    layer1_tensor/extras/import/pickle.c | *value = 0; | m->at - m->begin
 * Follow    layer1_tensor/extras/import/pickle.c | *text = (Text){(const char *)m->at, (size_t)size}; | size
 * Follow    layer1_tensor/extras/import/pickle.c | if (!end) return | end - m->begin
 * Follow    layer1_tensor/extras/import/pickle.c | *count = m->used - i; | i
 * Options   -eva-precision 1 -eva-interprocedural-splits -eva-alloc-builtin fresh
 * Mutant    layer1_tensor/extras/import/pickle.c | if (m->used < count) return | if (m->used + 1 < count) return
 * Mutant    layer1_tensor/extras/import/pickle.c | if (size > (uint64_t)(m->end - m->at)) | if (size > (uint64_t)(m->end - m->at) + 1) */
#include "layer1_tensor/extras/import/pickle.c"
#include "proof.h"

enum { BYTES = 4, VALUES = 3, ROOM = 6 };

static unsigned char bytes[BYTES];
static PickleValue values[VALUES];
static const PickleValue *items[2];
static PickleValue *stack[ROOM], *memo[ROOM];

void *region_alloc(Region *region, size_t size) { return (void)region, malloc(size); }
bool array_grow(void *array, size_t *room, size_t need, size_t size) {
    return (void)array, (void)room, (void)need, (void)size, false;
}

int main(void) {
    Region region = {0};
    size_t count = ANY_SIZE(0, 2);
    //@ split count;
    ANY(bytes);
    items[0] = items[1] = &values[0];
    for (int i = 0; i < VALUES; i++) {
        values[i] = (PickleValue){.kind = (PickleKind)Frama_C_interval(0, PICKLE_MARK),
                                  .text = {(const char *)bytes, ANY_SIZE(0, BYTES)},
                                  .count = count,
                                  .room = 2,
                                  .items = items};
        stack[i] = memo[i] = &values[i];
    }
    size_t n = ANY_SIZE(0, BYTES), used = ANY_SIZE(0, VALUES), kept = ANY_SIZE(0, 1);
    unsigned char opcode = (unsigned char)Frama_C_interval(0, 255);
    //@ split n;
    //@ split used;
    //@ split kept;
    Machine m = {.begin = bytes + BYTES - n,
                 .at = bytes + BYTES - n,
                 .end = bytes + BYTES,
                 .region = &region,
                 .stack = stack,
                 .used = used,
                 .room = ROOM,
                 .memo = memo,
                 .kept = kept,
                 .memo_room = ROOM};
    pickle_step(&m, opcode);
    PROVE(m.at >= bytes && m.at <= bytes + BYTES);
    PROVE(m.used <= used + 1 && m.kept <= kept + 1);
    END();
}
