/* small.c - all of it in one file: a GGUF file and a prompt go in, a story comes out.
 *
 *     cc -O2 docs/examples/small.c -lm -o small
 *     ./small layer5_models/models/storyteller.gguf "Once upon a time" seed 1 temp 0.8
 *
 * The core pages of the site write this file from top to bottom, a function or two at a time.
 * It runs one family (Llama) on one thread, every number is a float, and nothing is done for
 * speed. The six layers do the same for ninety families, fast; story.c is this main() on top of
 * them.
 *
 * Invariant: greedily, and with its own settings or another min_p, the story is that of
 * `strata generate --kv f32` (tests/test_small.sh).  Behind top_k and top_p strata may keep the
 * tokens in another order, and then the same sample draws another one. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------- Layer 1: bytes, shapes, files ---------- */

static void die(const char *what, const char *which) {
    fprintf(stderr, "small: %s%s%s\n", what, *which ? ": " : "", which);
    exit(1);
}

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) die("out of memory", "");
    return memory;
}

/* rows x cols numbers, row by row: element (i, j) is data[i * cols + j]. */
typedef struct Matrix {
    float *data;
    size_t rows, cols;
} Matrix;

/* IEEE 754 half precision: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits. */
static float half_to_float(uint16_t half) {
    int exponent = half >> 10 & 31, fraction = half & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                : ldexpf((float)fraction, -24);
    return half >> 15 ? -size : size;
}

/* A place in the file's bytes, and the file's end. */
typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

typedef struct String {
    const char *data;
    size_t size;
} String;

static const uint8_t *take(Bytes *bytes, size_t size) {
    if ((size_t)(bytes->end - bytes->at) < size) die("the model file is cut off", "");
    bytes->at += size;
    return bytes->at - size;
}

/* A little-endian integer of 1 to 8 bytes. */
static uint64_t take_integer(Bytes *bytes, size_t size) {
    const uint8_t *from = take(bytes, size);
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;) value = value << 8 | from[i];
    return value;
}

static String take_string(Bytes *bytes) {
    String string = {.size = take_integer(bytes, 8)};
    string.data = (const char *)take(bytes, string.size);
    return string;
}

static int is(String string, const char *text) {
    return string.size == strlen(text) && memcmp(string.data, text, string.size) == 0;
}

/* Kinds of values: 0 to 5 are integers of 1, 2 and 4 bytes, without and with a sign. */
enum { GGUF_F32 = 6, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY, GGUF_U64, GGUF_KINDS = 13 };
static const size_t gguf_size[GGUF_KINDS] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

static void skip_value(Bytes *bytes, uint64_t kind) {
    uint64_t count = 1;
    if (kind == GGUF_ARRAY) kind = take_integer(bytes, 4), count = take_integer(bytes, 8);
    if (kind >= GGUF_KINDS || kind == GGUF_ARRAY) die("a value of unknown kind", "");
    for (uint64_t i = 0; i < count; i++)
        kind == GGUF_STRING ? (void)take_string(bytes) : (void)take(bytes, gguf_size[kind]);
}

/* A key and where its value is, or a tensor and where its numbers are. */
typedef struct Entry {
    String name;
    uint64_t kind; /* of value, or the tensor's number format */
    Bytes value;
    uint64_t rows, cols;
} Entry;

typedef struct File {
    Entry *keys, *tensors;
    size_t n_keys, n_tensors;
} File;

static Bytes read_bytes(const char *path) {
    FILE *stream = fopen(path, "rb");
    size_t room = 1 << 20, size = 0, got = 0;
    uint8_t *bytes = allocate(room, 1);
    if (!stream) die(strerror(errno), path);
    while ((got = fread(bytes + size, 1, room - size, stream)) > 0) {
        if (size == 0 && (got < 4 || memcmp(bytes, "GGUF", 4) != 0))
            die("not a GGUF file", path);
        if ((size += got) == room && !(bytes = realloc(bytes, room *= 2)))
            die("out of memory", path);
    }
    fclose(stream);
    return (Bytes){bytes, bytes + size};
}

/* A tensor's entry: its name, its shape (columns first), its format, and an offset. */
static Entry take_tensor(Bytes *at, uint64_t *offset) {
    Entry tensor = {.name = take_string(at), .rows = 1};
    uint64_t n = take_integer(at, 4);
    if (n != 1 && n != 2) die("a tensor with more than two dimensions", "");
    tensor.cols = take_integer(at, 8);
    if (n == 2) tensor.rows = take_integer(at, 8);
    tensor.kind = take_integer(at, 4);
    *offset = take_integer(at, 8);
    return tensor;
}

/* GGUF: a header, keys with values, the tensors' names and shapes, then their numbers. */
static File open_file(const char *path) {
    Bytes at = read_bytes(path), start = at;
    if (at.end - at.at < 24) die("not a GGUF file", path);
    take(&at, 4); /* the letters GGUF */
    const uint64_t version = take_integer(&at, 4);
    if (version != 2 && version != 3) die("not a GGUF file of version 2 or 3", path);
    File file = {NULL, NULL, 0, 0};
    file.n_tensors = take_integer(&at, 8);
    file.n_keys = take_integer(&at, 8);
    if (file.n_tensors > 100000 || file.n_keys > 100000) die("a damaged GGUF file", path);
    file.keys = allocate(file.n_keys, sizeof(Entry));
    file.tensors = allocate(file.n_tensors, sizeof(Entry));
    uint64_t *offsets = allocate(file.n_tensors, sizeof *offsets);
    for (size_t i = 0; i < file.n_keys; i++) {
        file.keys[i].name = take_string(&at);
        file.keys[i].kind = take_integer(&at, 4);
        file.keys[i].value = at;
        skip_value(&at, file.keys[i].kind);
    }
    for (size_t i = 0; i < file.n_tensors; i++) file.tensors[i] = take_tensor(&at, &offsets[i]);
    while ((at.at - start.at) % 32 != 0)
        take(&at, 1); /* the numbers begin at a multiple of 32 */
    for (size_t i = 0; i < file.n_tensors; i++) {
        file.tensors[i].value = at;
        take(&file.tensors[i].value, offsets[i]);
    }
    free(offsets);
    return file;
}

static const Entry *find(const Entry *entries, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (is(entries[i].name, name)) return &entries[i];
    return NULL;
}

/* A number of the file, or `otherwise` when the file does not say. */
static double number(const File *file, const char *name, double otherwise) {
    const Entry *key = find(file->keys, file->n_keys, name);
    if (!key) return otherwise;
    if (key->kind > GGUF_F32 && key->kind != GGUF_BOOL && key->kind != GGUF_U64)
        die("not a number", name);
    Bytes at = key->value;
    uint64_t bits = take_integer(&at, gguf_size[key->kind]);
    if (key->kind != GGUF_F32) return (double)bits;
    float value;
    memcpy(&value, &(uint32_t){(uint32_t)bits}, 4); /* the same 32 bits, read as a float */
    return value;
}

/* One block of Q8_0: 32 numbers as a scale (a half) and 32 signed bytes. */
static void widen_q8(const uint8_t *block, float *out) {
    float scale = half_to_float((uint16_t)(block[0] | block[1] << 8));
    for (int i = 0; i < 32; i++) out[i] = scale * (float)(int8_t)block[2 + i];
}

/* The tensor of that name as floats: the file has it as F32 (0), F16 (1) or Q8_0 (8). */
static Matrix find_matrix(const File *file, const char *name, size_t rows, size_t cols) {
    const Entry *tensor = find(file->tensors, file->n_tensors, name);
    if (!tensor) die("the model file lacks the tensor", name);
    if (tensor->rows != rows || tensor->cols != cols)
        die("its shape is not what the model's sizes ask for", name);
    const size_t format = tensor->kind, count = rows * cols;
    if (format != 0 && format != 1 && (format != 8 || cols % 32))
        die("not in F32, F16 or Q8_0 (strata quantize makes a Q8_0 file)", name);
    Bytes at = tensor->value;
    if (rows > SIZE_MAX / 8 / cols) die("a tensor larger than the memory", name);
    const uint8_t *from = take(&at, format == 0   ? 4 * count
                                    : format == 1 ? 2 * count
                                                  : count / 32 * 34);
    Matrix m = {allocate(count, sizeof(float)), rows, cols};
    for (size_t i = 0; i < count; i++) {
        if (format == 0) memcpy(m.data + i, from + 4 * i, 4);
        if (format == 1)
            m.data[i] = half_to_float((uint16_t)(from[2 * i] | from[2 * i + 1] << 8));
        if (format == 8 && i % 32 == 0) widen_q8(from + i / 32 * 34, m.data + i);
    }
    return m;
}

/* ---------- Layer 2: linear algebra ---------- */

static float dot(const float *a, const float *b, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* out = m x: each row of m with x. */
static void matmul(float *out, Matrix m, const float *x) {
    for (size_t i = 0; i < m.rows; i++) out[i] = dot(m.data + i * m.cols, x, m.cols);
}

/* ---------- Layer 3: the parts of a network ---------- */

/* x becomes exp(x) / sum exp(x); the largest is subtracted first, so that exp cannot
 * overflow. */
static void softmax(float *x, size_t n) {
    float max = x[0], sum = 0;
    for (size_t i = 1; i < n; i++) max = fmaxf(max, x[i]);
    for (size_t i = 0; i < n; i++) sum += x[i] = expf(x[i] - max);
    for (size_t i = 0; i < n; i++) x[i] /= sum;
}

/* out = gain x / sqrt(mean x^2 + epsilon), element by element (RMSNorm). */
static void rms_norm(float *out, const float *x, Matrix gain, float epsilon) {
    const size_t n = gain.cols;
    const float scale = 1 / sqrtf(dot(x, x, n) / (float)n + epsilon);
    for (size_t i = 0; i < n; i++) out[i] = gain.data[i] * (x[i] * scale);
}

/* Rotate each pair (x[2i], x[2i+1]) of a head by the angle  position * base^(-2i / width). */
static void rope(float *x, size_t head_dim, size_t width, size_t heads, size_t position,
                 float base) {
    for (size_t head = 0; head < heads; head++, x += head_dim)
        for (size_t i = 0; i < width; i += 2) {
            const double angle = (double)position * pow(base, -(double)i / (double)width);
            const float c = (float)cos(angle), s = (float)sin(angle), a = x[i], b = x[i + 1];
            x[i] = a * c - b * s, x[i + 1] = a * s + b * c;
        }
}

/* The surprise of a token, in nats: -ln softmax(logits)[token]. */
static double surprise(const float *logits, size_t n, size_t token) {
    double max = logits[0], sum = 0;
    for (size_t i = 1; i < n; i++) max = fmax(max, logits[i]);
    for (size_t i = 0; i < n; i++) sum += exp(logits[i] - max);
    return max + log(sum) - logits[token];
}

/* ---------- Layer 4: the transformer ---------- */

typedef struct Sizes {
    size_t dim, hidden, blocks, heads, kv_heads, head_dim, rope_dim, ctx, vocab;
    float epsilon, rope_base;
} Sizes;

typedef struct Block {
    Matrix attn_norm, q, k, v, attn_out, ffn_norm, gate, up, down;
    Matrix keys, values; /* the KV cache: a row for each position that was read */
} Block;

typedef struct Scratch { /* vectors of one token on its way through a block */
    float *x, *normed, *q, *heads_out, *branch, *gate, *up, *scores, *logits;
} Scratch;

/* One head looks at positions 0 .. position: weights = softmax(q . keys / sqrt(head_dim)), and
 * the result is the mean of the values with these weights.  Later positions are not in the
 * loop: that is the causal mask. */
static void attend(float *out, const float *q, const Block *b, size_t offset, size_t head_dim,
                   size_t position, float *scores) {
    for (size_t j = 0; j <= position; j++)
        scores[j] =
            dot(q, b->keys.data + j * b->keys.cols + offset, head_dim) / sqrtf((float)head_dim);
    softmax(scores, position + 1);
    memset(out, 0, head_dim * sizeof *out);
    for (size_t j = 0; j <= position; j++)
        for (size_t i = 0; i < head_dim; i++)
            out[i] += scores[j] * b->values.data[j * b->values.cols + offset + i];
}

/* All heads; heads / kv_heads of them share a head of keys and values. */
static void attention(float *out, const Block *b, const Sizes *sizes, size_t position,
                      Scratch *s) {
    const size_t n = sizes->head_dim, shared_by = sizes->heads / sizes->kv_heads;
    float *key = b->keys.data + position * b->keys.cols;
    matmul(s->q, b->q, s->normed);
    matmul(key, b->k, s->normed);
    matmul(b->values.data + position * b->values.cols, b->v, s->normed);
    rope(s->q, n, sizes->rope_dim, sizes->heads, position, sizes->rope_base);
    rope(key, n, sizes->rope_dim, sizes->kv_heads, position, sizes->rope_base);
    for (size_t head = 0; head < sizes->heads; head++)
        attend(s->heads_out + head * n, s->q + head * n, b, head / shared_by * n, n, position,
               s->scores);
    matmul(out, b->attn_out, s->heads_out);
}

/* out = down (silu(gate x) * up x), with silu(u) = u / (1 + exp(-u))  (SwiGLU). */
static void feed_forward(float *out, const Block *b, Scratch *s) {
    matmul(s->gate, b->gate, s->normed);
    matmul(s->up, b->up, s->normed);
    for (size_t i = 0; i < b->gate.rows; i++) s->gate[i] *= s->up[i] / (1 + expf(-s->gate[i]));
    matmul(out, b->down, s->gate);
}

static void add(float *x, const float *y, size_t n) {
    for (size_t i = 0; i < n; i++) x[i] += y[i];
}

/* x = x + attention(norm(x)),  then  x = x + feed_forward(norm(x)). */
static void block(const Block *b, const Sizes *sizes, size_t position, Scratch *s) {
    rms_norm(s->normed, s->x, b->attn_norm, sizes->epsilon);
    attention(s->branch, b, sizes, position, s);
    add(s->x, s->branch, sizes->dim);
    rms_norm(s->normed, s->x, b->ffn_norm, sizes->epsilon);
    feed_forward(s->branch, b, s);
    add(s->x, s->branch, sizes->dim);
}

/* ---------- Layer 5: text to tokens, the model, tokens to text ---------- */

typedef struct Model {
    Sizes sizes;
    Matrix embedding, norm, output;
    Block *blocks;
    String *tokens, *merges; /* the vocabulary; pairs "a b" that become one token, best first */
    size_t n_merges;
    int bos, eos;
} Model;

/* Bytes are written as characters in the vocabulary: printable ones as themselves, the n-th of
 * the others as character 256 + n. */
static int character_of(int byte) {
    int n = 256;
    for (int b = 0; b < byte; b++) n += b < 33 || (b > 126 && b < 161) || b == 173;
    return byte < 33 || (byte > 126 && byte < 161) || byte == 173 ? n : byte;
}

static size_t put_character(char *out, int c) { /* UTF-8, one byte or two */
    if (c < 128) return out[0] = (char)c, 1;
    return out[0] = (char)(192 | c >> 6), out[1] = (char)(128 | (c & 63)), 2;
}

/* The token spelled like that, or -1. */
static int find_token(const Model *m, String text) {
    for (size_t i = 0; i < m->sizes.vocab; i++)
        if (m->tokens[i].size == text.size &&
            memcmp(m->tokens[i].data, text.data, text.size) == 0)
            return (int)i;
    return -1;
}

/* The rank of a pair in the list of merges, the first is best; n_merges: not in the list. */
static size_t merge_rank(const Model *m, String a, String b) {
    for (size_t i = 0; i < m->n_merges; i++) {
        String pair = m->merges[i];
        if (pair.size == a.size + 1 + b.size && pair.data[a.size] == ' ' &&
            memcmp(pair.data, a.data, a.size) == 0 &&
            memcmp(pair.data + a.size + 1, b.data, b.size) == 0)
            return i;
    }
    return m->n_merges;
}

/* Byte-pair encoding of one word: its characters, of which the best-ranked two neighbours are
 * joined until no pair of neighbours is in the list.  Returns how many tokens were written. */
static size_t encode_word(const Model *m, const char *word, size_t size, int *tokens) {
    char *spelled = allocate(2 * size, 1);
    String *parts = allocate(size, sizeof *parts);
    size_t n = 0, used = 0;
    for (size_t i = 0; i < size; i++) {
        parts[n] = (String){spelled + used,
                            put_character(spelled + used, character_of((uint8_t)word[i]))};
        used += parts[n++].size;
    }
    for (;;) {
        size_t best = m->n_merges, where = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            size_t rank = merge_rank(m, parts[i], parts[i + 1]);
            if (rank < best) best = rank, where = i;
        }
        if (best == m->n_merges) break;
        parts[where].size += parts[where + 1].size; /* neighbours in memory, too */
        memmove(parts + where + 1, parts + where + 2, (--n - where - 1) * sizeof *parts);
    }
    for (size_t i = 0; i < n; i++)
        if ((tokens[i] = find_token(m, parts[i])) < 0) die("the vocabulary lacks a byte", "");
    free(parts), free(spelled);
    return n;
}

enum { SPACE, LETTER, DIGIT, OTHER };

static int kind_of(char c) {
    if (c == ' ' || (c >= 9 && c <= 13)) return SPACE;
    if (c >= '0' && c <= '9') return DIGIT;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (uint8_t)c >= 128 ? LETTER
                                                                                 : OTHER;
}

/* The size of the word at the front of a text, as GPT-2 splits: a word takes one space before
 * it along, and the ends 's 't 're 've 'm 'll 'd are words. */
static size_t word_size(const char *text) {
    static const char *const ends[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
        if (strncmp(text, ends[e], strlen(ends[e])) == 0) return strlen(ends[e]);
    size_t i = text[0] == ' ' && text[1] && kind_of(text[1]) != SPACE;
    const int kind = kind_of(text[i]);
    while (text[i] && kind_of(text[i]) == kind) i++;
    return kind == SPACE && text[i] && i > 1
               ? i - 1
               : i; /* the last space goes with the word behind it */
}

/* A text as tokens, after the token that begins every text; returns how many. */
static size_t encode(const Model *m, const char *text, int *tokens) {
    size_t n = 0;
    if (m->bos >= 0) tokens[n++] = m->bos;
    for (size_t size; *text; text += size)
        n += encode_word(m, text, size = word_size(text), tokens + n);
    return n;
}

/* <|im_end|> and its like steer a chat; they are no part of the text. */
static int is_control(String text) {
    return text.size > 4 && memcmp(text.data, "<|", 2) == 0 &&
           memcmp(text.data + text.size - 2, "|>", 2) == 0;
}

/* Prints the bytes that a token spells. */
static void print_token(const Model *m, int token) {
    String text = m->tokens[token];
    if (is_control(text)) return;
    for (size_t i = 0; i < text.size; i++) {
        int c = (uint8_t)text.data[i], byte = 0;
        if (c >= 192 && i + 1 < text.size) c = (c & 31) << 6 | (text.data[++i] & 63);
        while (byte < 255 && character_of(byte) != c) byte++;
        putchar(byte);
    }
    fflush(stdout);
}

static String *strings(const File *file, const char *name, size_t *count) {
    const Entry *key = find(file->keys, file->n_keys, name);
    if (!key || key->kind != GGUF_ARRAY) die("the model file lacks the list", name);
    Bytes at = key->value;
    if (take_integer(&at, 4) != GGUF_STRING) die("not a list of strings", name);
    *count = take_integer(&at, 8); /* they are all there: skip_value has passed them */
    String *list = allocate(*count, sizeof *list);
    for (size_t i = 0; i < *count; i++) list[i] = take_string(&at);
    return list;
}

static void check_text(const File *file, const char *name, const char *wanted) {
    const Entry *key = find(file->keys, file->n_keys, name);
    Bytes at = key ? key->value : (Bytes){NULL, NULL};
    if (!key || key->kind != GGUF_STRING || !is(take_string(&at), wanted))
        die("small.c runs Llama with GPT-2's tokenizer (strata runs ninety families); the file "
            "differs in",
            name);
}

static Sizes read_sizes(const File *file, size_t vocab) {
    Sizes s = {.dim = (size_t)number(file, "llama.embedding_length", 0),
               .hidden = (size_t)number(file, "llama.feed_forward_length", 0),
               .blocks = (size_t)number(file, "llama.block_count", 0),
               .heads = (size_t)number(file, "llama.attention.head_count", 0),
               .ctx = (size_t)number(file, "llama.context_length", 0),
               .vocab = vocab,
               .epsilon = (float)number(file, "llama.attention.layer_norm_rms_epsilon", 1e-5),
               .rope_base = (float)number(file, "llama.rope.freq_base", 10000)};
    s.kv_heads = (size_t)number(file, "llama.attention.head_count_kv", (double)s.heads);
    if (!(s.epsilon >= 0 && s.epsilon <= 0.1f) || !(s.rope_base >= 1 && s.rope_base < INFINITY))
        die("the model file's epsilon or rope.freq_base makes no sense", "");
    if (find(file->keys, file->n_keys, "llama.rope.scaling.type") ||
        number(file, "general.alignment", 32) != 32)
        die("small.c knows no rope.scaling and no alignment but 32 (strata does)", "");
    if (!s.dim || !s.hidden || !s.blocks || !s.heads || !s.kv_heads || !s.ctx || !vocab ||
        s.heads % s.kv_heads || s.blocks > 1000)
        die("the model file's sizes make no sense", "");
    s.head_dim = (size_t)number(file, "llama.attention.key_length", (double)(s.dim / s.heads));
    s.rope_dim = (size_t)number(file, "llama.rope.dimension_count", (double)s.head_dim);
    if (!s.head_dim || s.rope_dim > s.head_dim || s.rope_dim % 2 ||
        s.heads > SIZE_MAX / 8 / s.head_dim)
        die("the model file's head sizes make no sense", "");
    if (s.ctx > 4096) s.ctx = 4096;
    return s;
}

static Block read_block(const File *file, const Sizes *s, size_t layer) {
    const size_t q = s->heads * s->head_dim, kv = s->kv_heads * s->head_dim;
    const struct {
        const char *name;
        size_t rows, cols;
    } tensors[] = {{"attn_norm", 1, s->dim},        {"attn_q", q, s->dim},
                   {"attn_k", kv, s->dim},          {"attn_v", kv, s->dim},
                   {"attn_output", s->dim, q},      {"ffn_norm", 1, s->dim},
                   {"ffn_gate", s->hidden, s->dim}, {"ffn_up", s->hidden, s->dim},
                   {"ffn_down", s->dim, s->hidden}};
    Block b;
    Matrix *const to[] = {&b.attn_norm, &b.q,    &b.k,  &b.v,   &b.attn_out,
                          &b.ffn_norm,  &b.gate, &b.up, &b.down};
    for (size_t i = 0; i < 9; i++) {
        char name[64];
        snprintf(name, sizeof name, "blk.%zu.%s.weight", layer, tensors[i].name);
        *to[i] = find_matrix(file, name, tensors[i].rows, tensors[i].cols);
    }
    b.keys = b.values = (Matrix){NULL, s->ctx, kv};
    b.keys.data = allocate(s->ctx * kv, sizeof(float)),
    b.values.data = allocate(s->ctx * kv, sizeof(float));
    return b;
}

/* The token that a key names; -1: the file does not say. */
static int read_token(const File *file, const char *name, size_t vocab) {
    const double token = number(file, name, -1);
    if (!(token < (double)vocab)) die("not a token of the vocabulary", name);
    return (int)token;
}

static Model read_model(const char *path) {
    const File file = open_file(path);
    Model m = {0};
    size_t vocab = 0;
    check_text(&file, "general.architecture", "llama");
    check_text(&file, "tokenizer.ggml.model", "gpt2");
    check_text(&file, "tokenizer.ggml.pre", "gpt-2");
    m.tokens = strings(&file, "tokenizer.ggml.tokens", &vocab);
    m.merges = strings(&file, "tokenizer.ggml.merges", &m.n_merges);
    m.sizes = read_sizes(&file, vocab);
    m.eos = read_token(&file, "tokenizer.ggml.eos_token_id", vocab);
    m.bos = number(&file, "tokenizer.ggml.add_bos_token", 0) != 0
                ? read_token(&file, "tokenizer.ggml.bos_token_id", vocab)
                : -1;
    m.embedding = find_matrix(&file, "token_embd.weight", vocab, m.sizes.dim);
    m.norm = find_matrix(&file, "output_norm.weight", 1, m.sizes.dim);
    const int tied = !find(file.tensors, file.n_tensors,
                           "output.weight"); /* a token's row serves both ends */
    m.output = tied ? m.embedding : find_matrix(&file, "output.weight", vocab, m.sizes.dim);
    if (file.n_tensors != 3 - (size_t)tied + 9 * m.sizes.blocks)
        die("the model has tensors that small.c does not know (strata reads ninety families)",
            path);
    m.blocks = allocate(m.sizes.blocks, sizeof *m.blocks);
    for (size_t layer = 0; layer < m.sizes.blocks; layer++)
        m.blocks[layer] = read_block(&file, &m.sizes, layer);
    return m;
}

static Scratch open_scratch(const Sizes *s) {
    const size_t q = s->heads * s->head_dim, f = sizeof(float);
    return (Scratch){allocate(s->dim, f),    allocate(s->dim, f), allocate(q, f),
                     allocate(q, f),         allocate(s->dim, f), allocate(s->hidden, f),
                     allocate(s->hidden, f), allocate(s->ctx, f), allocate(s->vocab, f)};
}

/* Reads one token: afterwards s->logits has a number for each token that may come next. */
static void forward(const Model *m, int token, size_t position, Scratch *s) {
    const size_t dim = m->sizes.dim;
    memcpy(s->x, m->embedding.data + (size_t)token * dim, dim * sizeof *s->x);
    for (size_t layer = 0; layer < m->sizes.blocks; layer++)
        block(&m->blocks[layer], &m->sizes, position, s);
    rms_norm(s->normed, s->x, m->norm, m->sizes.epsilon);
    matmul(s->logits, m->output, s->normed);
}

/* ---------- Layer 6: logits to text ---------- */

typedef struct Candidate {
    int token;
    float logit;
    double p;
} Candidate;

typedef struct Settings {
    double seed, temp, top_k, top_p, min_p, tokens;
} Settings;

/* Likelier first; of two alike the lower token. */
static int likelier(const void *left, const void *right) {
    const Candidate *a = left, *b = right;
    return a->logit != b->logit ? (a->logit < b->logit) - (a->logit > b->logit)
                                : a->token - b->token;
}

static int by_token(const void *left, const void *right) {
    return ((const Candidate *)left)->token - ((const Candidate *)right)->token;
}

/* softmax(logits) as p; the best candidate is c[0]. */
static void probabilities(Candidate *c, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += c[i].p = (double)expf(c[i].logit - c[0].logit);
    for (size_t i = 0; i < n; i++) c[i].p /= sum;
}

/* Each cut returns how many of the n candidates, best first, are left. */
static size_t top_k(size_t n, double k) { return k < (double)n ? (size_t)k : n; }

static size_t top_p(const Candidate *c, size_t n, double p) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if ((sum += c[i].p) >= p) return i + 1;
    return n;
}

static size_t min_p(const Candidate *c, size_t n, double p) {
    while (n > 1 && c[n - 1].p < p * c[0].p) n--;
    return n;
}

/* Below 1 the likely gain, above 1 the unlikely. */
static void temperature(Candidate *c, size_t n, double t) {
    for (size_t i = 0; i < n; i++) c[i].logit = (float)(c[i].logit / t);
}

/* The first candidate at which the running sum of probabilities passes u. */
static int draw(const Candidate *c, size_t n, double u) {
    for (size_t i = 0; i < n; i++)
        if ((u -= c[i].p) < 0) return c[i].token;
    return c[0].token;
}

static uint64_t mix(uint64_t x) { /* SplitMix64: Steele, Lea & Flood 2014 */
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* A uniform sample from [0, 1): it depends on where it is used, and on nothing else. */
static double uniform(uint64_t seed, uint64_t position, uint64_t stage) {
    return (double)(mix(mix(mix(seed) ^ position) ^ stage) >> 11) * 0x1p-53;
}

/* The token that follows: cut, then heat, then draw. */
static int choose(const float *logits, size_t vocab, const Settings *set, size_t position,
                  Candidate *c) {
    for (size_t i = 0; i < vocab; i++) c[i] = (Candidate){(int)i, logits[i], 0};
    qsort(c, vocab, sizeof *c, likelier);
    size_t n = top_k(vocab, set->temp < 1e-6 ? 1 : set->top_k);
    probabilities(c, n);
    n = top_p(c, n, set->top_p);
    n = min_p(c, n, set->min_p);
    if (set->temp >= 1e-6) temperature(c, n, set->temp);
    probabilities(c, n);
    if (isinf(set->top_k) && set->top_p >= 1) /* strata draws in this order then */
        qsort(c, n, sizeof *c, by_token);
    const int stage =
        isfinite(set->top_k) + (set->top_p < 1) + (set->min_p > 0) + (set->temp > 0);
    return draw(c, n, uniform((uint64_t)set->seed, position, (uint64_t)stage));
}

/* Read the prompt, then choose, print, read, until the model ends the text. */
static void tell(const Model *m, const char *prompt, const Settings *set) {
    const size_t room = m->sizes.ctx, longest = strlen(prompt) + 1;
    int *tokens = allocate(longest > room ? longest : room, sizeof *tokens);
    Candidate *candidates = allocate(m->sizes.vocab, sizeof *candidates);
    Scratch s = open_scratch(&m->sizes);
    size_t n = encode(m, prompt, tokens), first = m->bos >= 0;
    double surprised = 0;
    if (!*prompt) die("an empty prompt: give the model something to continue", "");
    if (n >= room) die("the prompt does not fit into the context", "");
    for (size_t i = 0; i < n; i++) {
        if (i > 0) surprised += surprise(s.logits, m->sizes.vocab, (size_t)tokens[i]);
        forward(m, tokens[i], i, &s);
        if (i >= first) print_token(m, tokens[i]);
    }
    const size_t end = set->tokens < (double)(room - n) ? n + (size_t)set->tokens : room;
    for (size_t position = n; position < end; position++) {
        int token = choose(s.logits, m->sizes.vocab, set, position, candidates);
        if (token == m->eos || is(m->tokens[token], "<|im_end|>")) break;
        print_token(m, token);
        forward(m, token, position, &s);
    }
    fprintf(stderr, "\n[the prompt's surprise: %.2f nats a token]",
            n > 1 ? surprised / (double)(n - 1) : 0);
    putchar('\n');
    if (fflush(stdout) != 0 || ferror(stdout)) die("standard output is full or closed", "");
}

int main(int argc, char **argv) {
    Settings set = {1, 0.8, INFINITY, 1, 0.05, 400};
    const struct {
        const char *name;
        double *value, low, high;
    } settings[] = {{"seed", &set.seed, 0, 0x1p53}, {"temp", &set.temp, 0, 100},
                    {"top_k", &set.top_k, 1, 1e9},  {"top_p", &set.top_p, 0, 1},
                    {"min_p", &set.min_p, 0, 1},    {"tokens", &set.tokens, 1, 1e9}};
    if (argc < 3 || argc % 2 == 0)
        die("usage: small MODEL PROMPT [seed N] [temp T] [top_k K] [top_p P] [min_p P] [tokens "
            "N]",
            "");
    for (int i = 3; i < argc; i += 2) {
        size_t k = 0;
        char *end = NULL;
        while (k < 6 && strcmp(argv[i], settings[k].name) != 0) k++;
        if (k == 6)
            die("the settings are seed, temp, top_k, top_p, min_p and tokens; not", argv[i]);
        const double value = *settings[k].value = strtod(argv[i + 1], &end);
        const int integer = k != 1 && k != 3 && k != 4;
        if (end == argv[i + 1] || *end ||
            !(value >= settings[k].low && value <= settings[k].high) ||
            (integer && value != floor(value))) {
            fprintf(stderr, "small: %s is '%s': wanted %s from %g to %g\n", argv[i],
                    argv[i + 1], integer ? "an integer" : "a number", settings[k].low,
                    settings[k].high);
            return 1;
        }
    }
    const Model model = read_model(argv[1]);
    tell(&model, argv[2], &set);
    return 0;
}
