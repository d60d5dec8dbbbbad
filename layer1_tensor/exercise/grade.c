/* The graders of layer 1. */
#include "grader.h"
#include "tensor.h"

GRADE(strides) {
    float data[24];
    for (int i = 0; i < 24; i++) data[i] = (float)i;
    Tensor t = tensor_view(DTYPE_F32, 3, (size_t[]){2, 3, 4}, data);
    HINT(t.stride[2] == 4, "the last stride is one element: 4 bytes of F32, not %zu",
         t.stride[2]);
    HINT(t.stride[1] == 16 && t.stride[0] == 48,
         "stride[i] is stride[i+1] times shape[i+1]: wanted (48, 16, 4), got (%zu, %zu, %zu)",
         t.stride[0], t.stride[1], t.stride[2]);
    Tensor s = tensor_slice(&t, 1, 1, 3);
    HINT(s.shape[1] == 2, "a slice 1..3 has 2 elements along its dimension, not %zu",
         s.shape[1]);
    HINT(s.data == (void *)(data + 4), "a slice begins at data + begin * stride");
    Tensor x = tensor_transpose(&t, 0, 2);
    HINT(x.shape[0] == 4 && x.shape[2] == 2, "a transpose swaps the two shapes");
    HINT(tensor_get(&x, (size_t[]){3, 1, 1}) == tensor_get(&t, (size_t[]){1, 1, 3}),
         "a transpose swaps the two strides as well as the shapes");
}

GRADE(halves) {
    HINT(f16_to_f32(0x3C00) == 1.0f,
         "0x3C00 is 1: the exponent's bias is 15 in f16 and 127 in f32, got %g",
         (double)f16_to_f32(0x3C00));
    HINT(f16_to_f32(0xC000) == -2.0f, "the sign is bit 15 of f16 and bit 31 of f32");
    HINT(f16_to_f32(0x3555) == 0.333251953125f,
         "the ten fraction bits go to the top of the 23");
    HINT(f16_to_f32(1) == 0x1p-24f, "exponent 0 is a subnormal number: fraction * 2^-24");
    HINT(isinf(f16_to_f32(0x7C00)) && isnan(f16_to_f32(0x7E00)),
         "exponent 31 is infinity, or NaN with a fraction");
    HINT(bf16_to_f32(0x3F80) == 1.0f, "bf16 is the upper half of an f32: shift it there");
}

GRADE(arena) {
    Arena a;
    Fault fault;
    arena_measure(&a);
    void *none = arena_take(&a, 3, 4);
    HINT(none == NULL, "while it measures the arena has no memory to give: return NULL");
    HINT(a.used == ARENA_ALIGN, "12 bytes take one unit of %d: used is %zu", ARENA_ALIGN,
         a.used);
    arena_take(&a, 1, ARENA_ALIGN);
    HINT(a.used == 2 * ARENA_ALIGN, "used must grow with every piece, or pieces overlap");
    if (!arena_init(&a, 4096, &fault)) exit(2);
    char *one = arena_take(&a, 10, 1), *two = arena_take(&a, 10, 1);
    HINT(two - one >= 10, "two pieces overlap: each begins where the last one ended");
    HINT((two - one) % ARENA_ALIGN == 0, "every piece begins at a multiple of %d", ARENA_ALIGN);
    arena_free(&a);
}

GRADE(header) {
    unsigned char bytes[24] = {'G', 'G', 'U', 'F', 3};
    Gguf gguf;
    Fault fault;
    bool ok = gguf_parse(&gguf, bytes, sizeof bytes, &fault);
    HINT(ok, "a header with 0 tensors and 0 pairs is a file: is every number read "
             "little-endian, byte i times 256^i?");
    HINT(gguf.version == 3, "the version is the u32 after the magic, little-endian: got %u",
         gguf.version);
    gguf_free(&gguf);
    bytes[0] = 'X';
    HINT(!gguf_parse(&gguf, bytes, sizeof bytes, &fault),
         "a file that does not begin with GGUF is none");
    bytes[0] = 'G', bytes[4] = 9;
    HINT(!gguf_parse(&gguf, bytes, sizeof bytes, &fault),
         "versions other than 2 and 3 must be refused");
}

GRADE(generator) {
    HINT(rng_hash(1, 2, 3) != rng_hash(1, 2, 4),
         "two places of a stream give the same number: what happened to the counter?");
    HINT(rng_hash(1, 2, 3) != rng_hash(1, 3, 3), "two streams give the same number");
    HINT(rng_hash(7, 1, 5) == 0x0ull + rng_hash(7, 1, 5),
         "the same place must give the same number");
    int same = 0;
    for (uint64_t i = 0; i < 1000; i++) same += rng_hash(1, i, i + 1) == rng_hash(1, i + 1, i);
    HINT(same == 0, "stream and counter are mixed so that they can stand for each other");
}

GRADES({"1.1", strides}, {"1.2", halves}, {"1.3", arena}, {"1.4", header}, {"1.6", generator})
