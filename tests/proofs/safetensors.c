/* safetensors.c
 *
 * Proves    the reader of the header's size reads only the file, and hands on only the header; a
 *           number of the header is below 10^16; a tensor has a known type, as many bytes as its
 *           shape says, and they lie in the file
 * Bound     a file of 0 to 24 bytes; a number of 0 to 18 characters, a type of 0 to 8; a shape of
 *           0, 1, 2 or 9 numbers below 10; numbers below 10 for a place in data of 0 to 7 bytes
 * Source    layer1_tensor/src/text.c layer1_tensor/src/gguf/gguf_read.c
 * Follow    layer1_tensor/extras/import/safetensors.c | char digit = | value->text.size
 * Follow    layer1_tensor/extras/import/safetensors.c | t->ndim = (int)shape->count; | t->shape[0]
 * Follow    layer1_tensor/extras/import/safetensors.c | t->ndim = (int)shape->count; | t->shape[1]
 * Keep      layer1_tensor/extras/import/safetensors.c | t->bytes = (size_t)count; | t->shape[0]
 * Keep      layer1_tensor/extras/import/safetensors.c | t->bytes = (size_t)count; | t->shape[1]
 * Keep      layer1_tensor/extras/import/safetensors.c | read_whole(&place->items[0] | begin
 * Keep      layer1_tensor/extras/import/safetensors.c | read_whole(&place->items[0] | end
 * Keep      layer1_tensor/extras/import/safetensors.c | (unsigned long long)header, size, MAX_HEADER); | header
 * Options   -eva-precision 1 -eva-interprocedural-splits -eva-slevel 5000 -eva-split-return auto
 * Mutant    layer1_tensor/extras/import/safetensors.c | header > size - 8) | header > size - 7)
 * Mutant    layer1_tensor/extras/import/safetensors.c | value->text.size > 16) | value->text.size > 17)
 * Mutant    layer1_tensor/extras/import/safetensors.c | shape->count > SAFE_MAX_DIMS) | shape->count > SAFE_MAX_DIMS + 1)
 * Mutant    layer1_tensor/extras/import/safetensors.c | if (!empty && count > room | if (count > room
 * Mutant    layer1_tensor/extras/import/safetensors.c | || end > room) | || end > room + 1) */
#include "layer1_tensor/extras/import/safetensors.c"
#include "proof.h"

enum { FILE_SIZE = 24, LETTERS = 18, ROOM = 12 };

static unsigned char file[FILE_SIZE];
static char letters[LETTERS];
static JsonValue items[SAFE_MAX_DIMS + 1], root;

/* In place of JSON's reader: some header is JSON, of no tensors. */
Json *json_read(Text text, Fault *fault) {
    (void)fault;
    PROVE(text.size >= 2);
    PROVE((const unsigned char *)text.data >= file);
    PROVE(text.size <= (size_t)(file + FILE_SIZE - (const unsigned char *)text.data));
    return Frama_C_nondet(0, 1) ? (Json *)&root : NULL;
}
void json_free(Json *json) { (void)json; }
const JsonValue *json_root(const Json *json) { return (void)json, &root; }
const JsonValue *json_get(const JsonValue *object, const char *key) {
    return (void)object, (void)key, NULL;
}

/* The last n characters of the array, as a value of any kind. */
static JsonValue any_value(size_t n) {
    return (JsonValue){.kind = (JsonKind)Frama_C_interval(JSON_NULL, JSON_OBJECT),
                       .text = {letters + LETTERS - n, n}};
}

static void one_file(size_t n) {
    Safetensors s;
    if (safetensors_parse(&s, file + FILE_SIZE - n, n, NULL)) PROVE(s.n_tensors == 0);
}

static void one_number(size_t n) {
    JsonValue value = any_value(n);
    uint64_t whole;
    if (read_whole(&value, &whole)) PROVE(whole < 10000000000000000);
}

static void one_type(size_t n) {
    JsonValue value = any_value(n);
    SafeTensor t = {0};
    if (read_type(&t, &value, NULL)) PROVE((unsigned)t.type < SAFE_TYPES);
}

static void one_shape(size_t n) {
    JsonValue shape = any_value(0);
    SafeTensor t = {.type = (SafeType)Frama_C_interval(0, SAFE_TYPES - 1)};
    //@ split t.type;
    shape.count = n < 3 ? n : SAFE_MAX_DIMS + 1, shape.items = items;
    if (!read_shape(&t, &shape, ROOM, NULL)) return;
    size_t bytes = safe_type_bytes(t.type);
    for (size_t i = 0; i < n; i++) bytes *= t.shape[i];
    PROVE(t.bytes == bytes && bytes <= ROOM);
}

static void one_place(size_t n) {
    JsonValue place = any_value(0);
    SafeTensor t = {.bytes = ANY_SIZE(0, SIZE_MAX)};
    place.count = 2, place.items = items;
    if (!read_place(&t, &place, file, n, NULL)) return;
    PROVE(t.data >= file && t.bytes <= (size_t)(file + n - t.data));
}

int main(void) {
    static void (*const parts[])(size_t n) = {one_file, one_number, one_type, one_shape,
                                              one_place};
    static const size_t most[] = {FILE_SIZE, LETTERS, 8, 3, 7};
    size_t what = ANY_SIZE(0, 4), n;
    //@ split what;
    n = ANY_SIZE(0, most[what]);
    //@ split n;
    ANY(file), ANY(letters);
    for (int i = 0; i <= SAFE_MAX_DIMS; i++)
        items[i] = (JsonValue){.kind = JSON_NUMBER, .text = {letters, ANY_SIZE(0, 1)}};
    parts[what](n);
    END();
}
