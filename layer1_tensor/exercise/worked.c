/* Worked exercise 1: one number of a model, from the bytes of a file to the screen.
 *
 * --csv prints the first row of the matrix: column,value. */
#include "tensor.h"

#include <stdio.h>
#include <string.h>

static const char *const path = "layer5_models/models/storyteller.gguf",
                         *const name = "blk.0.attn_q.weight";

static void print_bytes(const unsigned char *p, int n) {
    for (int i = 0; i < n; i++) printf("%02x ", p[i]);
}

static void narrate(const FileMap *map, const Gguf *gguf, const GgufTensor *found) {
    Tensor t = gguf_tensor_view(found);
    char shape[80];
    const unsigned char *bytes = map->data, *first = found->data;
    printf("1. A model is a file: %zu bytes, mapped into memory; nothing has been read yet.\n  "
           " It begins: ",
           map->size);
    print_bytes(bytes, 24);
    printf("\n              G  G  U  F | version %u | %zu tensors          | %zu keys\n\n",
           gguf->version, gguf->n_tensors, gguf->n_pairs);
    printf("2. The header names every tensor.  Ours is %s: %s in %s, at byte %zu.\n", name,
           tensor_shape_text(t.ndim, t.shape, shape, sizeof shape), dtype_name(found->dtype),
           (size_t)(first - bytes));
    printf("   (The file writes shapes the other way round; we write (out, in).)\n\n");
    printf("3. Strides say how far it is to the next row and the next number: %zu and %zu "
           "bytes.\n",
           t.stride[0], t.stride[1]);
    size_t index[2] = {2, 3};
    size_t at = index[0] * t.stride[0] + index[1] * t.stride[1];
    printf("   Element (2, 3) lies at 2 * %zu + 3 * %zu = %zu bytes from the first: ",
           t.stride[0], t.stride[1], at);
    print_bytes(first + at, 2);
    uint16_t half = (uint16_t)(first[at] | first[at + 1] << 8);
    printf(
        "\n\n4. Little-endian, that is 0x%04x, an f16:  sign %d, exponent %d, fraction %d.\n",
        half, half >> 15, half >> 10 & 31, half & 1023);
    printf("   (-1)^%d * 2^(%d - 15) * (1 + %d / 1024) = %.9g\n", half >> 15, half >> 10 & 31,
           half & 1023, (double)f16_to_f32(half));
    printf("   tensor_get says:                          %.9g\n\n",
           (double)tensor_get(&t, index));
    Tensor turned = tensor_transpose(&t, 0, 1);
    size_t swapped[2] = {3, 2};
    printf("5. A transpose swaps shapes and strides and moves nothing: element (3, 2) of it is "
           "the same number,\n   %.9g, "
           "at the same address (%s).\n\n",
           (double)tensor_get(&turned, swapped), turned.data == t.data ? "yes" : "no");
    Tensor corner = tensor_slice(&t, 0, 0, 4);
    corner = tensor_slice(&corner, 1, 0, 5);
    printf("6. A corner of it, 4 rows by 5 columns, is a view as well:\n\n");
    tensor_print(&corner, stdout);
}

int main(int argc, char **argv) {
    FileMap map;
    Gguf gguf;
    Fault fault;
    if (!file_open(&map, path, &fault) || !gguf_parse(&gguf, map.data, map.size, &fault)) {
        fprintf(stderr, "worked: %s\n", fault.text);
        return 1;
    }
    const GgufTensor *found = gguf_find_tensor(&gguf, name);
    if (!found || found->dtype != DTYPE_F16) {
        fprintf(stderr, "worked: no tensor '%s' in F16\n", name);
        return 1;
    }
    if (argc > 1 && strcmp(argv[1], "--csv") == 0) {
        Tensor t = gguf_tensor_view(found);
        printf("column,value\n");
        for (size_t i = 0; i < t.shape[1]; i++)
            printf("%zu,%.9g\n", i, (double)tensor_get(&t, (size_t[]){0, i}));
    } else {
        narrate(&map, &gguf, found);
    }
    gguf_free(&gguf);
    file_close(&map);
    return 0;
}
