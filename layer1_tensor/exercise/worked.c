/* Worked exercise 1: one number of a model, from the bytes of a file to the screen.
 *
 * --csv prints the first row of the matrix: column,value. */
#include "worked.h"
#include "tensor.h"
#include "tensor_print.h"

static const char *const name = "token_embd.weight";
enum { COLUMN = 3, SHOWN = 4 };

static void print_bytes(const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) printf("%02x ", p[i]);
}

static void file_part(const FileMap *map, const Gguf *gguf) {
    printf(
        "2. A model is a file: %zu bytes, mapped into memory; nothing has been read yet.\n   "
        "It begins: ",
        map->size);
    print_bytes(map->data, 24);
    printf("\n              G  G  U  F | version %u | %zu tensors          | %zu keys\n\n",
           gguf->version, gguf->n_tensors, gguf->n_pairs);
}

/* The fields of a half. */
static void number_part(const Tensor *t, const unsigned char *at, const size_t *index) {
    uint16_t half = (uint16_t)(at[0] | at[1] << 8);
    int sign = half >> 15, exponent = half >> 10 & 31, fraction = half & 1023;
    printf("5. Little-endian, that is 0x%04x, an f16:  sign %d, exponent %d, fraction %d.\n",
           half, sign, exponent, fraction);
    guess("larger than 1, or smaller?");
    printf("   (-1)^%d * 2^(%d - 15) * (1 + %d / 1024) = %.9g\n", sign, exponent, fraction,
           (double)f16_to_f32(half));
    printf("   tensor_get says:                          %.9g\n\n",
           (double)tensor_get(t, index));
}

static void views_part(const Tensor *t, const size_t *index, const Word *words, size_t count) {
    Tensor turned = tensor_transpose(t, 0, 1);
    guess("how many of the %zu numbers does a transpose move?", t->shape[0] * t->shape[1]);
    printf(
        "6. A transpose swaps shapes and strides and moves nothing: element (%zu, %zu) of it "
        "is the same number,\n   %.9g, at the same address (%s).\n",
        index[1], index[0], (double)tensor_get(&turned, (size_t[]){index[1], index[0]}),
        turned.data == t->data ? "yes" : "no");
    Tensor corner = tensor_slice(&turned, 0, 0, 4);
    corner = tensor_slice(&corner, 1, 0, 5);
    printf("   A corner of it, a view as well: ");
    tensor_print(&corner, stdout);
    putchar('\n');
    printf(
        "7. The first five numbers of each of your words, a view of one row and five columns "
        "each:\n\n");
    for (size_t w = 0; w < count; w++) {
        Tensor row = tensor_slice(t, 0, words[w].token, words[w].token + 1);
        row = tensor_slice(&row, 1, 0, 5);
        printf("   %-12.*s", (int)words[w].text.size, words[w].text.data);
        for (size_t i = 0; i < 5; i++)
            printf("%12.6f", (double)tensor_get(&row, (size_t[]){0, i}));
        putchar('\n');
    }
}

static void narrate(const FileMap *map, const Gguf *gguf, const GgufTensor *found) {
    Word words[SHOWN];
    char shape[80];
    const char *text = sentence_or("Once upon a time");
    size_t count = words_of(words, SHOWN, gguf, text);
    Tensor t = gguf_tensor_view(found);
    const unsigned char *first = found->data;
    size_t index[2] = {words[0].token, COLUMN};
    size_t at = index[0] * t.stride[0] + index[1] * t.stride[1];
    printf("1. Your sentence in memory is bytes, one for each letter: \"%.*s\" is ",
           (int)words[0].text.size, words[0].text.data);
    print_bytes(words[0].text.data, words[0].text.size);
    printf("\n   A model knows it by a number: it is entry %zu of the vocabulary.\n\n",
           words[0].token);
    file_part(map, gguf);
    printf("3. The header names every tensor.  Ours is %s: %s in %s, at byte %zu;\n   row %zu "
           "of it is what the model knows of your first word.\n   (The file writes shapes the "
           "other way round; we write (out, in).)\n\n",
           name, tensor_shape_text(t.ndim, t.shape, shape, sizeof shape),
           dtype_name(found->dtype), (size_t)(first - (const unsigned char *)map->data),
           words[0].token);
    printf("4. Strides say how far it is to the next row and the next number: %zu and %zu "
           "bytes.\n",
           t.stride[0], t.stride[1]);
    guess("how many bytes from the first number is element (%zu, %d)?", index[0], COLUMN);
    printf("   Element (%zu, %d) lies at %zu * %zu + %d * %zu = %zu bytes from the first: ",
           index[0], COLUMN, index[0], t.stride[0], COLUMN, t.stride[1], at);
    print_bytes(first + at, 2);
    printf("\n\n");
    number_part(&t, first + at, index);
    views_part(&t, index, words, count);
}

int main(int argc, char **argv) {
    FileMap map;
    Gguf gguf;
    bool csv = worked_csv(argc, argv);
    open_storyteller(&map, &gguf);
    const GgufTensor *found = tensor_named(&gguf, name);
    if (found->dtype != DTYPE_F16) worked_fails("the embedding is not in F16");
    if (csv) {
        Tensor t = gguf_tensor_view(found);
        printf("column,value\n");
        for (size_t i = 0; i < t.shape[1]; i++)
            printf("%zu,%.9g\n", i, (double)tensor_get(&t, (size_t[]){0, i}));
    } else {
        narrate(&map, &gguf, found);
    }
    gguf_free(&gguf);
    file_close(&map);
    return worked_end();
}
