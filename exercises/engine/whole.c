/* whole.c - an inference engine in one file: it reads a model, and writes text with it.
 *
 *     file -tensors-> text -tokens-> vectors -blocks, cache-> logits -odds-> token -> text
 *
 * Read it from top to bottom: each part uses only those above it, ends in the command that
 * shows it, and belongs to a chapter of docs/engine.  It needs the C library and POSIX.
 *
 *     cc -O3 -march=native whole.c -o whole -lm -lpthread
 *     echo -n "Once upon a time" | ./whole generate layer5_models/models/storyteller.gguf 60
 *
 * It runs Llama and Qwen 3 in F32, F16 and Q8_0, whose words are GPT-2's. */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void die(const char *where, const char *what) {
    fprintf(stderr, "%s: %s\n", where, what);
    exit(1);
}

static void *room(size_t count, size_t size) {
    void *zeros = calloc(count + 1, size);
    if (!zeros) die("memory", "there is not enough");
    return zeros;
}

static float *floats(size_t count) { return room(count, sizeof(float)); }

typedef struct Text {
    const char *at;
    size_t size;
} Text;

static bool is(Text text, const char *word) {
    return text.size == strlen(word) && memcmp(text.at, word, text.size) == 0;
}

/* All of standard input. */
static Text read_input(void) {
    enum { MORE = 1 << 16 };
    char *bytes = NULL;
    size_t size = 0, more = 1;
    for (; more; size += more) {
        if (!(bytes = realloc(bytes, size + MORE + 1))) die("memory", "there is not enough");
        more = fread(bytes + size, 1, MORE, stdin);
    }
    return bytes[size] = 0, (Text){bytes, size};
}

/* The integers of a text. */
static int *read_ids(const char *text, int *n) {
    int *ids = room(strlen(text), sizeof *ids);
    char *end;
    for (*n = 0;; text = end) {
        long id = strtol(text, &end, 10);
        if (end == text) return ids;
        ids[(*n)++] = (int)id;
    }
}

static int *input_ids(int *n) { return read_ids(read_input().at, n); }

static uint64_t argument_number(const char *argument) {
    char *end;
    uint64_t number = strtoull(argument, &end, 10);
    if (end == argument || *end || number > INT32_MAX)
        die(argument, "is no integer from 0 to 2^31 - 1");
    return number;
}

/* ------------------------------------------------------------------ 1. read a GGUF */

/* Types of values: integers of 1, 2, 4 bytes (unsigned, then signed), and so on. */
enum { U8, I8, U16, I16, U32, I32, KEY_F32, BOOL, STRING, ARRAY, U64, I64, KEY_F64, TYPES };
static const int type_size[TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/* Formats of tensors. */
enum { F32 = 0, F16 = 1, Q8_0 = 8 };
static const char *const format_name[] = {[F32] = "F32", [F16] = "F16", [Q8_0] = "Q8_0"};

typedef struct Key {
    Text name;
    int type, item; /* item: the type of an array's items */
    uint64_t count;
    const char *value;
} Key;

typedef struct Tensor {
    Text name;
    int format;
    size_t rows, cols;
    const char *data;
} Tensor;

typedef struct File {
    const char *start, *at, *end; /* at: what is read next */
    uint64_t n_keys, n_tensors;
    Key *keys;
    Tensor *tensors;
} File;

static const char *take(File *f, uint64_t size) {
    if (size > (uint64_t)(f->end - f->at)) die("model file", "ends too early");
    return f->at += size, f->at - size;
}

/* A little-endian integer. */
static uint64_t integer(const char *at, int size) {
    uint64_t value = 0;
    memcpy(&value, at, size);
    return value;
}

static uint64_t take_integer(File *f, int size) { return integer(take(f, size), size); }

static Text take_text(File *f) {
    Text text = {.size = take_integer(f, 8)};
    text.at = take(f, text.size);
    return text;
}

static Key take_key(File *f) {
    Key key = {.name = take_text(f), .type = take_integer(f, 4), .count = 1};
    key.item = key.type;
    if (key.type == ARRAY) key.item = take_integer(f, 4), key.count = take_integer(f, 8);
    if (key.item < 0 || key.item >= TYPES || key.item == ARRAY)
        die("model file", "has a value of unknown type");
    key.value = f->at;
    if (key.item != STRING) take(f, key.count * type_size[key.item]);
    for (uint64_t i = 0; key.item == STRING && i < key.count; i++) take_text(f);
    return key;
}

/* Shapes are stored columns first; data: for now its offset. */
static Tensor take_tensor(File *f) {
    Tensor t = {.name = take_text(f), .rows = 1};
    uint64_t dimensions = take_integer(f, 4);
    t.cols = take_integer(f, 8);
    for (uint64_t i = 1; i < dimensions; i++) t.rows *= take_integer(f, 8);
    t.format = take_integer(f, 4);
    t.data = f->start + take_integer(f, 8);
    if (t.format != F32 && t.format != F16 && t.format != Q8_0)
        die("a tensor", "is not in F32, F16 or Q8_0");
    return t;
}

static const Key *find_key(const File *f, const char *name) {
    for (uint64_t i = 0; i < f->n_keys; i++)
        if (is(f->keys[i].name, name)) return &f->keys[i];
    return NULL;
}

static float float_of(uint32_t bits) {
    float value;
    return memcpy(&value, &bits, sizeof value), value;
}

static double number_at(int type, const char *at) {
    uint64_t bits = integer(at, type_size[type]);
    int spare = 64 - 8 * type_size[type];
    double wide;
    if (type == KEY_F32) return float_of(bits);
    if (type == KEY_F64) return memcpy(&wide, at, sizeof wide), wide;
    bool with_sign = type == I8 || type == I16 || type == I32 || type == I64;
    return with_sign ? (double)((int64_t)(bits << spare) >> spare) : (double)bits;
}

/* The number of a key, or `otherwise` when the file has none. */
static double number(const File *f, const char *name, double otherwise) {
    const Key *key = find_key(f, name);
    bool is_number = key && key->type != STRING && key->type != ARRAY;
    return is_number ? number_at(key->type, key->value) : otherwise;
}

static Text text_at(const char *at) { return (Text){at + 8, integer(at, 8)}; }

static Text text_of(const File *f, const char *name, const char *otherwise) {
    const Key *key = find_key(f, name);
    return key && key->type == STRING ? text_at(key->value)
                                      : (Text){otherwise, strlen(otherwise)};
}

static size_t bytes_of(int format, size_t n) {
    return format == F32 ? 4 * n : format == F16 ? 2 * n : n / 32 * 34;
}

/* Into huge pages where the system has them (2 MB in place of 4 KB): fewer addresses to look
 * up, so a product that waits for memory is faster. */
static Text read_file(const char *path) {
    const size_t huge = 1 << 21;
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) die(path, "cannot be read");
    size_t size = ftell(file);
    char *bytes = aligned_alloc(huge, (size / huge + 1) * huge);
    if (!bytes) die(path, "is larger than memory");
#ifdef MADV_HUGEPAGE
    madvise(bytes, size, MADV_HUGEPAGE);
#endif
    rewind(file);
    if (fread(bytes, 1, size, file) != size) die(path, "cannot be read");
    return fclose(file), (Text){bytes, size};
}

/* Header, keys, names and shapes of tensors; then the numbers, from the next multiple on. */
static File open_file(const char *path) {
    Text all = read_file(path);
    File f = {.start = all.at, .at = all.at, .end = all.at + all.size};
    if (all.size < 24 || memcmp(take(&f, 4), "GGUF", 4) != 0) die(path, "is no GGUF file");
    if (take_integer(&f, 4) < 2) die(path, "is of version 1: write it again");
    f.n_tensors = take_integer(&f, 8), f.n_keys = take_integer(&f, 8);
    f.keys = room(f.n_keys, sizeof *f.keys), f.tensors = room(f.n_tensors, sizeof *f.tensors);
    for (uint64_t i = 0; i < f.n_keys; i++) f.keys[i] = take_key(&f);
    for (uint64_t i = 0; i < f.n_tensors; i++) f.tensors[i] = take_tensor(&f);
    size_t alignment = number(&f, "general.alignment", 32);
    size_t data = (f.at - f.start + alignment - 1) / alignment * alignment;
    for (uint64_t i = 0; i < f.n_tensors; i++) {
        Tensor *t = &f.tensors[i];
        t->data += data;
        if (t->data + bytes_of(t->format, t->rows * t->cols) > f.end)
            die(path, "ends before its tensors do");
    }
    return f;
}

/* IEEE half precision: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits.  Shifted to
 * their place in a float (bias 127) they mean a number too small by 2^112, subnormals too. */
static float half(uint32_t bits) {
    float size = float_of((bits & 0x7fff) << 13) * 0x1p112f;
    if ((bits & 0x7c00) == 0x7c00) size = bits & 0x3ff ? NAN : INFINITY;
    return bits >> 15 ? -size : size;
}

/* Number i of a tensor.  A block of Q8_0 is a scale and 32 signed bytes. */
static float element(const Tensor *t, size_t i) {
    const char *block = t->data + i / 32 * 34;
    if (t->format == F32) return float_of(integer(t->data + 4 * i, 4));
    if (t->format == F16) return half(integer(t->data + 2 * i, 2));
    return half(integer(block, 2)) * (int8_t)block[2 + i % 32];
}

/* Keys and tensors, as the file has them; a tensor's sum multiplies number i by 1 + i % 5. */
static void run_read(char **argument) {
    File f = open_file(argument[0]);
    for (uint64_t i = 0; i < f.n_keys; i++) {
        const Key *key = &f.keys[i];
        printf("key %.*s ", (int)key->name.size, key->name.at);
        if (key->type == ARRAY)
            printf("[%d]\n", (int)key->count);
        else if (key->type == STRING)
            printf("%.*s\n", (int)text_at(key->value).size, key->value + 8);
        else
            printf("%.12g\n", number_at(key->type, key->value));
    }
    for (uint64_t i = 0; i < f.n_tensors; i++) {
        const Tensor *t = &f.tensors[i];
        double sum = 0;
        for (size_t k = 0; k < t->rows * t->cols; k++) sum += element(t, k) * (1.0 + k % 5);
        printf("tensor %.*s %s %zu %zu %.9g\n", (int)t->name.size, t->name.at,
               format_name[t->format], t->rows, t->cols, sum);
    }
}

/* --------------------------------------------------------------- 2. text to tokens and back */

/* A pair of tokens that becomes one: the lower the rank, the earlier. */
typedef struct Merge {
    int left, right, result, rank;
} Merge;

typedef struct Words {
    Text *bytes; /* what each token stands for */
    int vocab, n_merges, byte[256], bos, eos;
    bool add_bos, single_digits;
    Merge *merges; /* sorted by pair */
} Words;

typedef struct Name {
    Text text;
    int token;
} Name;

static int by_text(const void *a, const void *b) {
    Text x = ((const Name *)a)->text, y = ((const Name *)b)->text;
    int order = memcmp(x.at, y.at, x.size < y.size ? x.size : y.size);
    return order ? order : (x.size > y.size) - (x.size < y.size);
}

static int by_pair(const void *a, const void *b) {
    const Merge *x = a, *y = b;
    return x->left != y->left ? x->left - y->left : x->right - y->right;
}

/* Names are written in letters: printable bytes as themselves, the others as U+0100 and on. */
static Text unlettered(Text name) {
    int byte_of[512] = {0}, hidden = 256;
    char *out = room(name.size, 1);
    Text bytes = {out, 0};
    for (int b = 0; b < 256; b++) {
        bool seen = (b > 32 && b < 127) || (b > 160 && b != 173);
        byte_of[seen ? b : hidden++] = b;
    }
    for (size_t i = 0; i < name.size; i++) {
        int c = (unsigned char)name.at[i];
        if (c >= 0xc0 && i + 1 < name.size) c = (c & 31) << 6 | (name.at[++i] & 63);
        out[bytes.size++] = byte_of[c & 511];
    }
    return bytes;
}

static Text *texts_of(const File *f, const char *name, int *count) {
    const Key *key = find_key(f, name);
    if (!key || key->type != ARRAY || key->item != STRING) die(name, "is not in the file");
    Text *texts = room(key->count, sizeof *texts);
    File at = {.at = key->value, .end = f->end};
    for (uint64_t i = 0; i < key->count; i++) texts[i] = take_text(&at);
    return *count = key->count, texts;
}

static int token_named(const Words *w, const Name *names, const char *at, size_t size) {
    Name wanted = {{at, size}, 0};
    const Name *found = bsearch(&wanted, names, w->vocab, sizeof *names, by_text);
    if (!found) die("tokenizer.ggml.merges", "holds a merge of unknown tokens");
    return found->token;
}

static void read_merges(Words *w, const File *f, const Name *names) {
    Text *merges = texts_of(f, "tokenizer.ggml.merges", &w->n_merges);
    w->merges = room(w->n_merges, sizeof *w->merges);
    for (int i = 0; i < w->n_merges; i++) {
        size_t size = merges[i].size;
        char *both = memcpy(room(size, 1), merges[i].at, size), *space = strchr(both, ' ');
        if (!space) die("tokenizer.ggml.merges", "holds a merge without a space");
        size_t left = space - both, right = size - left - 1;
        w->merges[i] = (Merge){token_named(w, names, both, left),
                               token_named(w, names, space + 1, right), 0, i};
        memmove(space, space + 1, right);
        w->merges[i].result = token_named(w, names, both, left + right);
        free(both);
    }
    qsort(w->merges, w->n_merges, sizeof *w->merges, by_pair);
}

static Words read_words(const File *f) {
    Words w = {.bos = number(f, "tokenizer.ggml.bos_token_id", -1),
               .eos = number(f, "tokenizer.ggml.eos_token_id", -1),
               .add_bos = number(f, "tokenizer.ggml.add_bos_token", 0)};
    const Key *types = find_key(f, "tokenizer.ggml.token_type");
    Text kind = text_of(f, "tokenizer.ggml.pre", "gpt-2");
    w.single_digits = is(kind, "smollm");
    if (!w.single_digits && !is(kind, "gpt-2"))
        die("tokenizer.ggml.pre", "is neither gpt-2 nor smollm");
    Text *texts = texts_of(f, "tokenizer.ggml.tokens", &w.vocab);
    Name *names = room(w.vocab, sizeof *names);
    w.bytes = room(w.vocab, sizeof *w.bytes);
    for (int i = 0; i < w.vocab; i++) {
        bool plain = !types || integer(types->value + 4 * i, 4) != 3; /* 3: steers, no text */
        names[i] = (Name){texts[i], i};
        w.bytes[i] = plain ? unlettered(texts[i]) : (Text){"", 0};
        if (w.bytes[i].size == 1) w.byte[(unsigned char)*w.bytes[i].at] = i;
    }
    qsort(names, w.vocab, sizeof *names, by_text);
    read_merges(&w, f, names);
    return free(names), free(texts), w;
}

static int class_of(unsigned char c) {
    return isspace(c) ? 0 : isalpha(c) || c >= 128 ? 1 : isdigit(c) ? 2 : 3;
}

/* The first word of a text as GPT-2 cuts it: an ending like 's; or a run of one class with a
 * space before it; or white space, of which the last goes with the word behind it. */
static size_t word_size(Text text, bool single_digits) {
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    const char *c = text.at; /* a 0 stands behind the last byte */
    if (single_digits && class_of(*c) == 2) return 1;
    for (int i = 0; i < 7; i++) {
        size_t size = strlen(endings[i]);
        if (size <= text.size && memcmp(c, endings[i], size) == 0) return size;
    }
    size_t size = *c == ' ' && text.size > 1 && class_of(c[1]) != 0;
    if (single_digits && class_of(c[size]) == 2) return size;
    int first = class_of(c[size]);
    while (size < text.size && class_of(c[size]) == first) size++;
    bool whole = size == text.size || (single_digits && class_of(c[size]) == 2);
    return first == 0 && size > 1 && !whole ? size - 1 : size;
}

/* Join that pair of neighbors which was learned first, until none is known. */
static int encode_word(const Words *w, Text word, int *ids) {
    int n = 0;
    for (size_t i = 0; i < word.size; i++) ids[n++] = w->byte[(unsigned char)word.at[i]];
    for (;;) {
        const Merge *best = NULL;
        int at = 0;
        for (int i = 0; i + 1 < n; i++) {
            Merge pair = {ids[i], ids[i + 1], 0, 0};
            const Merge *m = bsearch(&pair, w->merges, w->n_merges, sizeof *w->merges, by_pair);
            if (m && (!best || m->rank < best->rank)) best = m, at = i;
        }
        if (!best) return n;
        ids[at] = best->result;
        memmove(ids + at + 1, ids + at + 2, (--n - at - 1) * sizeof *ids);
    }
}

static int encode(const Words *w, Text text, int **ids) {
    int n = 0;
    *ids = room(text.size + 1, sizeof **ids);
    if (w->add_bos) (*ids)[n++] = w->bos;
    while (text.size) {
        size_t size = word_size(text, w->single_digits);
        n += encode_word(w, (Text){text.at, size}, *ids + n);
        text.at += size, text.size -= size;
    }
    return n;
}

static void run_tokens(char **argument) {
    File f = open_file(argument[0]);
    Words w = read_words(&f);
    int *ids, n = encode(&w, read_input(), &ids);
    for (int i = 0; i < n; i++) printf("%d\n", ids[i]);
}

static void put_token(const Words *w, int token) {
    if (token < 0 || token >= w->vocab) die("a token", "is not in the vocabulary");
    fwrite(w->bytes[token].at, 1, w->bytes[token].size, stdout);
}

static void run_text(char **argument) {
    File f = open_file(argument[0]);
    Words w = read_words(&f);
    int n, *ids = input_ids(&n);
    for (int i = 0; i < n; i++) put_token(&w, ids[i]);
}

/* ---------------------------------------------------------- 7. the product (and 8. threads) */

/* Eight floats: the compiler picks the instructions that add or multiply all of them. */
typedef float Lanes __attribute__((vector_size(32)));
static Lanes load(const float *x) {
    Lanes lanes;
    return memcpy(&lanes, x, sizeof lanes), lanes;
}

static float sum_of(Lanes x) {
    return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

/* Inline, so that the compiler knows n and keeps the sums in registers. */
#define INLINE __attribute__((always_inline)) static inline

/* 32 weights times as many numbers of n vectors (n, cols).  Two sums for each vector, because
 * each addition to a sum waits for the one before. */
INLINE void add_products(Lanes sum[][2], const float *w, const float *x, size_t cols, int n) {
    for (int k = 0; k < 4; k++)
        for (int v = 0; v < n; v++)
            sum[v][k % 2] += load(w + 8 * k) * load(x + v * cols + 8 * k);
}

/* One row of weights times n vectors: the row is loaded once, whatever n is. */
INLINE void row_times(const Tensor *w, size_t row, const float *x, int n, float *y) {
    Lanes sum[4][2] = {{{0}}};
    size_t j = 0, cols = w->cols;
    const char *block = w->data + row * bytes_of(w->format, cols);
    const float *weights = (const float *)block;
    for (; w->format == Q8_0 && j < cols; j += 32, block += 34) {
        float scale = half(integer(block, 2)), unpacked[32];
        for (int k = 0; k < 32; k++) unpacked[k] = (int8_t)block[2 + k] * scale;
        add_products(sum, unpacked, x + j, cols, n);
    }
    for (; j + 32 <= cols; j += 32) add_products(sum, weights + j, x + j, cols, n);
    for (; j < cols; j += 8)
        for (int v = 0; v < n; v++) sum[v][0] += load(weights + j) * load(x + v * cols + j);
    for (int v = 0; v < n; v++) y[v * w->rows] = sum_of(sum[v][0] + sum[v][1]);
}

/* y (n, rows) = x (n, cols) w^T, for all threads. */
static struct Job {
    float *y;
    const Tensor *w;
    const float *x;
    int n;
} job;
static int threads = 1;

/* Rows are shared out, never a sum, so that any number of threads gives the same numbers. */
static void do_share(int i) {
    const Tensor *w = job.w;
    size_t to = w->rows * (i + 1) / threads;
    for (size_t row = w->rows * i / threads; row < to; row++) {
        int v = 0;
        for (; v + 4 <= job.n; v += 4)
            row_times(w, row, job.x + v * w->cols, 4, job.y + v * w->rows + row);
        for (; v < job.n; v++)
            row_times(w, row, job.x + v * w->cols, 1, job.y + v * w->rows + row);
    }
}

/* Sleep until all threads are here. */
static void meet(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t all_here = PTHREAD_COND_INITIALIZER;
    static int here, meetings;
    pthread_mutex_lock(&lock);
    int meeting = meetings;
    if (++here == threads)
        here = 0, meetings++, pthread_cond_broadcast(&all_here);
    else
        while (meeting == meetings) pthread_cond_wait(&all_here, &lock);
    pthread_mutex_unlock(&lock);
}

static void *work(void *number) {
    for (;;) meet(), do_share((intptr_t)number), meet();
    return NULL;
}

static void start_threads(const char *argument) {
    if (argument) threads = argument_number(argument);
    if (threads < 1) die(argument, "is too few threads");
    for (intptr_t i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, (void *)i) != 0)
            die("a thread", "cannot be started");
    }
}

/* y (n, rows) = x (n, cols) w^T */
static void multiply(float *y, const Tensor *w, const float *x, int n) {
    job = (struct Job){y, w, x, n};
    meet();
    do_share(0);
    meet();
}

/* The tensor of that name; F16 becomes floats.  Without it: no rows. */
static Tensor find_tensor(const File *f, const char *name) {
    for (uint64_t i = 0; i < f->n_tensors; i++) {
        Tensor t = f->tensors[i];
        if (!is(t.name, name)) continue;
        if (t.cols % 8 != 0) die(name, "has rows whose size is no multiple of 8");
        if (t.format == F32 || (t.format == Q8_0 && t.cols % 32 == 0)) return t;
        float *x = floats(t.rows * t.cols);
        for (size_t k = 0; k < t.rows * t.cols; k++) x[k] = element(&t, k);
        return t.format = F32, t.data = (const char *)x, t;
    }
    return (Tensor){.rows = 0};
}

/* x becomes W x, divided by the root of the mean of its squares, so many times. */
static void run_product(char **argument) {
    File f = open_file(argument[0]);
    Tensor w = find_tensor(&f, argument[1]);
    if (!w.rows || w.rows != w.cols) die(argument[1], "is not a square matrix of the file");
    float *x = floats(w.cols), *y = floats(w.rows);
    for (size_t i = 0; i < w.cols; i++)
        if (scanf("%f", &x[i]) != 1) die("standard input", "a number is missing");
    start_threads(argument[3]);
    for (int n = argument_number(argument[2]); n > 0; n--) {
        double squares = 0;
        multiply(y, &w, x, 1);
        for (size_t i = 0; i < w.rows; i++) squares += (double)y[i] * y[i];
        for (size_t i = 0; i < w.rows; i++) x[i] = y[i] / sqrt(squares / w.rows);
    }
    for (size_t i = 0; i < w.cols; i++) printf("%.9g\n", x[i]);
}

/* ---------------------------------------------------- 3. a forward pass (with 5. its cache) */

enum { MOST_ROWS = 64 }; /* of a pass */

typedef struct Block {
    Tensor attn_norm, q, k, v, out, ffn_norm, gate, up, down, q_norm, k_norm;
} Block;

typedef struct Model {
    int dim, heads, kv_heads, head_dim, q_dim, kv_dim, hidden, layers, ctx, vocab;
    float epsilon, *turns; /* turns: cosines and sines (ctx, head_dim / 2, 2) */
    bool qwen3;
    Tensor embedding, end_norm, output;
    Block *blocks;
    Words words;
    float *x, *normed, *q, *k, *v, *mixed, *scores, *gate, *up, *out; /* of MOST_ROWS rows */
} Model;

/* A text that is read: the keys and values (layers, ctx, kv_dim) of its n tokens, and the
 * logits of what may come next. */
typedef struct Reading {
    const Model *m;
    float *keys, *values, *logits;
    int n;
} Reading;

/* A token to be read: behind `position` others of its text. */
typedef struct Row {
    Reading *text;
    int token, position;
} Row;

static Tensor need_tensor(const File *f, const char *name, int layer, size_t rows,
                          size_t cols) {
    char full[100];
    snprintf(full, sizeof full, name, layer);
    Tensor t = find_tensor(f, full);
    if (t.rows != rows || t.cols != cols)
        die(full, "is missing, or of another shape than the sizes say");
    return t;
}

static Block read_block(const File *f, const Model *m, int l) {
    int q = m->q_dim, kv = m->kv_dim, d = m->dim, h = m->hidden;
    Block b = {.attn_norm = need_tensor(f, "blk.%d.attn_norm.weight", l, 1, d),
               .q = need_tensor(f, "blk.%d.attn_q.weight", l, q, d),
               .k = need_tensor(f, "blk.%d.attn_k.weight", l, kv, d),
               .v = need_tensor(f, "blk.%d.attn_v.weight", l, kv, d),
               .out = need_tensor(f, "blk.%d.attn_output.weight", l, d, q),
               .ffn_norm = need_tensor(f, "blk.%d.ffn_norm.weight", l, 1, d),
               .gate = need_tensor(f, "blk.%d.ffn_gate.weight", l, h, d),
               .up = need_tensor(f, "blk.%d.ffn_up.weight", l, h, d),
               .down = need_tensor(f, "blk.%d.ffn_down.weight", l, d, h)};
    if (m->qwen3) b.q_norm = need_tensor(f, "blk.%d.attn_q_norm.weight", l, 1, m->head_dim);
    if (m->qwen3) b.k_norm = need_tensor(f, "blk.%d.attn_k_norm.weight", l, 1, m->head_dim);
    return b;
}

/* How far pair i of a head turns at each position: position * base^(-2i / head_dim). */
static float *make_turns(const Model *m, double base) {
    float *turns = floats(m->ctx * m->head_dim), *next = turns;
    for (int p = 0; p < m->ctx; p++)
        for (int i = 0; i < m->head_dim / 2; i++) {
            double angle = p * pow(base, -2.0 * i / m->head_dim);
            *next++ = cos(angle), *next++ = sin(angle);
        }
    return turns;
}

static double size_named(const File *f, const Model *m, const char *name, double otherwise) {
    char full[100];
    snprintf(full, sizeof full, "%s.%s", m->qwen3 ? "qwen3" : "llama", name);
    return number(f, full, otherwise);
}

static void read_sizes(Model *m, const File *f) {
    m->dim = size_named(f, m, "embedding_length", 0);
    m->heads = size_named(f, m, "attention.head_count", 1);
    m->kv_heads = size_named(f, m, "attention.head_count_kv", m->heads);
    m->head_dim = size_named(f, m, "attention.key_length", m->dim / m->heads);
    m->q_dim = m->heads * m->head_dim, m->kv_dim = m->kv_heads * m->head_dim;
    m->hidden = size_named(f, m, "feed_forward_length", 0);
    m->layers = size_named(f, m, "block_count", 0);
    m->ctx = fmin(4096, size_named(f, m, "context_length", 0));
    m->epsilon = size_named(f, m, "attention.layer_norm_rms_epsilon", 1e-5);
    m->vocab = m->words.vocab;
    m->turns = make_turns(m, size_named(f, m, "rope.freq_base", 10000));
}

static Model read_model(const char *path) {
    File f = open_file(path);
    Text family = text_of(&f, "general.architecture", "");
    Model m = {.qwen3 = is(family, "qwen3"), .words = read_words(&f)};
    if (!m.qwen3 && !is(family, "llama")) die(path, "is neither llama nor qwen3");
    read_sizes(&m, &f);
    m.embedding = need_tensor(&f, "token_embd.weight", 0, m.vocab, m.dim);
    m.end_norm = need_tensor(&f, "output_norm.weight", 0, 1, m.dim);
    m.output = find_tensor(&f, "output.weight"); /* without it the embedding serves twice */
    if (!m.output.rows) m.output = m.embedding;
    m.blocks = room(m.layers, sizeof *m.blocks);
    for (int l = 0; l < m.layers; l++) m.blocks[l] = read_block(&f, &m, l);
    m.x = floats(MOST_ROWS * m.dim), m.normed = floats(MOST_ROWS * m.dim);
    m.out = floats(MOST_ROWS * m.dim), m.scores = floats(m.ctx);
    m.q = floats(MOST_ROWS * m.q_dim), m.mixed = floats(MOST_ROWS * m.q_dim);
    m.k = floats(MOST_ROWS * m.kv_dim), m.v = floats(MOST_ROWS * m.kv_dim);
    m.gate = floats(MOST_ROWS * m.hidden), m.up = floats(MOST_ROWS * m.hidden);
    return m;
}

static Reading begin(const Model *m) {
    size_t n = (size_t)m->layers * m->ctx * m->kv_dim;
    return (Reading){m, floats(n), floats(n), floats(m->vocab), 0};
}

/* Each of n rows: out = x / sqrt(mean(x^2) + epsilon) * gain */
static void norm(float *out, const float *x, const Tensor *gain, float epsilon, int n) {
    const float *g = (const float *)gain->data;
    for (; n > 0; n--, x += gain->cols, out += gain->cols) {
        double squares = 0;
        for (size_t i = 0; i < gain->cols; i++) squares += (double)x[i] * x[i];
        float scale = 1 / sqrt(squares / gain->cols + epsilon);
        for (size_t i = 0; i < gain->cols; i++) out[i] = x[i] * scale * g[i];
    }
}

/* Pairs turn by their position: neighbors for llama, numbers i and i + half for qwen3. */
static void turn(const Model *m, float *x, int heads, const Tensor *gain, int position) {
    int half = m->head_dim / 2, step = m->qwen3 ? 1 : 2, other = m->qwen3 ? half : 1;
    if (m->qwen3) norm(x, x, gain, m->epsilon, heads);
    for (int h = 0; h < heads; h++, x += m->head_dim)
        for (int i = 0; i < half; i++) {
            const float *way = m->turns + 2 * (position * half + i);
            float *a = x + i * step, *b = a + other, first = *a;
            *a = first * way[0] - *b * way[1];
            *b = first * way[1] + *b * way[0];
        }
}

/* Scores become odds: positive, 1 in sum.  Minus the largest, so that exp cannot overflow. */
static void softmax(float *x, int n) {
    float largest = x[0], sum = 0;
    for (int i = 1; i < n; i++) largest = x[i] > largest ? x[i] : largest;
    for (int i = 0; i < n; i++) sum += x[i] = expf(x[i] - largest);
    for (int i = 0; i < n; i++) x[i] /= sum;
}

/* Each head of a row mixes the values of all tokens up to its own, by how well their keys fit;
 * a group of heads shares keys and values. */
static void attend(const Model *m, int layer, const Row *row, const float *q, float *mixed) {
    int size = m->head_dim, group = m->heads / m->kv_heads;
    float *score = m->scores, scale = 1 / sqrtf(size);
    for (int h = 0; h < m->heads; h++, q += size, mixed += size) {
        size_t from = (size_t)layer * m->ctx * m->kv_dim + h / group * size;
        const float *key = row->text->keys + from, *value = row->text->values + from;
        for (int j = 0; j <= row->position; j++, key += m->kv_dim) {
            Tensor one = {.rows = 1, .cols = size, .data = (const char *)key};
            row_times(&one, 0, q, 1, &score[j]);
            score[j] *= scale;
        }
        softmax(score, row->position + 1);
        memset(mixed, 0, size * sizeof *mixed);
        for (int j = 0; j <= row->position; j++, value += m->kv_dim)
            for (int k = 0; k < size; k++) mixed[k] += score[j] * value[k];
    }
}

static void attention(const Model *m, int l, const Row *rows, int n) {
    const Block *b = &m->blocks[l];
    int q = m->q_dim, kv = m->kv_dim;
    multiply(m->q, &b->q, m->normed, n);
    multiply(m->k, &b->k, m->normed, n);
    multiply(m->v, &b->v, m->normed, n);
    for (int i = 0; i < n; i++) { /* first all keys: rows of one text may read each other */
        size_t here = ((size_t)l * m->ctx + rows[i].position) * kv;
        turn(m, m->q + i * q, m->heads, &b->q_norm, rows[i].position);
        turn(m, m->k + i * kv, m->kv_heads, &b->k_norm, rows[i].position);
        memcpy(rows[i].text->keys + here, m->k + i * kv, kv * sizeof(float));
        memcpy(rows[i].text->values + here, m->v + i * kv, kv * sizeof(float));
    }
    for (int i = 0; i < n; i++) attend(m, l, &rows[i], m->q + i * q, m->mixed + i * q);
    multiply(m->out, &b->out, m->mixed, n);
}

/* down(silu(gate) * up), where silu(g) = g / (1 + exp(-g)) */
static void feed_forward(const Model *m, const Block *b, int n) {
    multiply(m->gate, &b->gate, m->normed, n);
    multiply(m->up, &b->up, m->normed, n);
    for (int i = 0; i < n * m->hidden; i++)
        m->gate[i] = m->gate[i] / (1 + expf(-m->gate[i])) * m->up[i];
    multiply(m->out, &b->down, m->gate, n);
}

static void look_up(const Model *m, const Row *row, float *x) {
    if (row->token < 0 || row->token >= m->vocab) die("a token", "is not in the vocabulary");
    if (row->position >= m->ctx) die("the text", "is longer than the model's context");
    for (int k = 0; k < m->dim; k++)
        x[k] = element(&m->embedding, (size_t)row->token * m->dim + k);
}

static void add(float *x, const float *y, int n) {
    for (int i = 0; i < n; i++) x[i] += y[i];
}

/* Read these tokens; logits (wanted, vocab) of what may come after each of the last. */
static void forward(const Model *m, const Row *rows, int n, int wanted, float *logits) {
    for (int i = 0; i < n; i++) look_up(m, &rows[i], m->x + i * m->dim);
    for (int l = 0; l < m->layers; l++) {
        norm(m->normed, m->x, &m->blocks[l].attn_norm, m->epsilon, n);
        attention(m, l, rows, n);
        add(m->x, m->out, n * m->dim);
        norm(m->normed, m->x, &m->blocks[l].ffn_norm, m->epsilon, n);
        feed_forward(m, &m->blocks[l], n);
        add(m->x, m->out, n * m->dim);
    }
    norm(m->normed, m->x + (n - wanted) * m->dim, &m->end_norm, m->epsilon, wanted);
    multiply(logits, &m->output, m->normed, wanted);
    for (int i = 0; i < n; i++) rows[i].text->n = rows[i].position + 1;
}

/* Read a text's next tokens, a few at a time. */
static void read_on(Reading *r, const int *ids, int n) {
    while (n > 0) {
        Row rows[MOST_ROWS];
        int count = n < MOST_ROWS ? n : MOST_ROWS;
        for (int k = 0; k < count; k++) rows[k] = (Row){r, ids[k], r->n + k};
        forward(r->m, rows, count, 1, r->logits);
        ids += count, n -= count;
    }
}

static void run_logits(char **argument) {
    Model m = read_model(argument[0]);
    Reading r = begin(&m);
    int n, *ids = input_ids(&n);
    read_on(&r, ids, n);
    for (int i = 0; i < m.vocab; i++) printf("%.9g\n", r.logits[i]);
}

/* ------------------------------------------------------------------ 4. greedy text */

static int likeliest(const float *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

static void run_generate(char **argument) {
    Model m = read_model(argument[0]);
    Reading r = begin(&m);
    int *ids, n = encode(&m.words, read_input(), &ids);
    if (!n) die("standard input", "is empty: give the model something to continue");
    start_threads(argument[2]);
    read_on(&r, ids, n);
    for (int left = argument_number(argument[1]); left > 0; left--) {
        int token = likeliest(r.logits, m.vocab);
        if (token == m.words.eos) break;
        put_token(&m.words, token);
        fflush(stdout);
        if (left > 1) read_on(&r, &token, 1);
    }
}

/* ------------------------------------------------------------------ 6. perplexity */

/* exp of the mean surprise -log p at each token but the first. */
static void run_perplexity(char **argument) {
    Model m = read_model(argument[0]);
    Reading r = begin(&m);
    int n, *ids = input_ids(&n);
    double nats = 0;
    for (int i = 0; i + 1 < n; i++) {
        read_on(&r, &ids[i], 1);
        softmax(r.logits, m.vocab);
        nats -= log(r.logits[ids[i + 1]] + 1e-30);
    }
    printf("%.6f\n", exp(nats / (n - 1)));
}

/* ------------------------------------------------------------------ 9. samplers */

/* A random number from [0, 1): the seed takes a step, its bits are stirred (splitmix64). */
static double coin(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return ((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Put the odds end to end and pick a point: i comes up in proportion to its odds. */
static int draw(const float *p, int n, uint64_t *seed) {
    double sum = 0, point;
    for (int i = 0; i < n; i++) sum += p[i];
    point = coin(seed) * sum;
    for (int i = 0; i < n; i++)
        if ((point -= p[i]) < 0) return i;
    return likeliest(p, n);
}

typedef struct Choice {
    int token;
    float logit;
} Choice;

static int likelier(const void *a, const void *b) {
    float x = ((const Choice *)a)->logit, y = ((const Choice *)b)->logit;
    return (x < y) - (x > y);
}

/* How many of the choices, likeliest first, the three cuts keep; p: their logits. */
static int cut(float *p, int n, int top_k, double top_p, double min_p) {
    double sum = 0;
    int kept = 0;
    if (top_k > 0 && top_k < n) n = top_k;
    softmax(p, n);
    while (kept < n && sum < top_p) sum += p[kept++];
    while (kept > 1 && p[kept - 1] < min_p * p[0]) kept--;
    return kept;
}

/* Settings from standard input: draws, seed, temperature, top_k, top_p, min_p, and logits. */
static void run_sample(char **argument) {
    (void)argument;
    int draws, top_k, n;
    unsigned long seed_given;
    double temperature, top_p, min_p;
    while (scanf("%d %lu %lf %d %lf %lf %d", &draws, &seed_given, &temperature, &top_k, &top_p,
                 &min_p, &n) == 7) {
        Choice *c = room(n, sizeof *c);
        float *p = floats(n);
        uint64_t seed = seed_given;
        for (int i = 0; i < n; i++)
            if (c[i].token = i, scanf("%f", &c[i].logit) != 1)
                die("standard input", "a logit is missing");
        qsort(c, n, sizeof *c, likelier);
        for (int i = 0; i < n; i++) p[i] = c[i].logit;
        int kept = cut(p, n, top_k, top_p, min_p);
        for (int i = 0; i < kept; i++) p[i] = c[i].logit / temperature;
        softmax(p, kept);
        for (int i = 0; i < draws; i++) printf("%d\n", c[draw(p, kept, &seed)].token);
        free(c), free(p);
    }
}

/* ------------------------------------------------------------------ 10. batching */

/* A text of a batch; logits: of its next token, wherever the last pass put them. */
typedef struct Story {
    Reading reading;
    float *logits;
    int *made, n; /* made: n tokens */
    bool over;
} Story;

/* Choose a token; false: the text is over, and nothing is to be read. */
static bool choose(Story *s, const Words *w, int most) {
    if (s->over) return false;
    int token = likeliest(s->logits, w->vocab);
    if (token != w->eos && s->n < most) s->made[s->n++] = token;
    s->over = token == w->eos || s->n == most;
    return !s->over;
}

/* One forward pass for all texts: each row of weights is loaded once for all of them. */
static void run_batch(char **argument) {
    Model m = read_model(argument[0]);
    Story stories[MOST_ROWS];
    Row rows[MOST_ROWS];
    char *input = (char *)read_input().at, *line;
    int n = 0, most = argument_number(argument[1]), live = 1;
    float *logits = floats(MOST_ROWS * m.vocab);
    while ((line = strsep(&input, "\n"))) {
        int size, *ids = read_ids(line, &size);
        if (!size) continue;
        if (n == MOST_ROWS) die("standard input", "has more than 64 prompts");
        Story *s = &stories[n++];
        *s = (Story){.reading = begin(&m), .made = room(most, sizeof(int))};
        read_on(&s->reading, ids, size);
        s->logits = s->reading.logits;
    }
    while (live) {
        live = 0;
        for (int i = 0; i < n; i++) {
            Story *s = &stories[i];
            if (!choose(s, &m.words, most)) continue;
            s->logits = logits + live * m.vocab;
            rows[live++] = (Row){&s->reading, s->made[s->n - 1], s->reading.n};
        }
        if (live) forward(&m, rows, live, live, logits);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < stories[i].n; k++) printf("%d ", stories[i].made[k]);
        putchar('\n');
    }
}

/* ------------------------------------------------------------------ 11. speculation */

enum { GUESSES = 16 };

/* A text that two models read: `ids` holds the prompt and what came after it. */
typedef struct Speculation {
    Reading target, draft;
    int *ids, n;
    float *q, *p; /* odds of the draft and the target (GUESSES + 1, vocab) */
} Speculation;

/* Guess k tokens one by one with the draft; they stand behind the text's n tokens. */
static void guess(Speculation *s, int k, uint64_t *seed) {
    int vocab = s->draft.m->vocab;
    for (int i = 0; i < k; i++) {
        float *q = s->draft.logits = s->q + i * vocab;
        read_on(&s->draft, s->ids + s->draft.n, s->n + i - s->draft.n);
        softmax(q, vocab);
        s->ids[s->n + i] = draw(q, vocab, seed);
    }
}

/* One pass of the target over its last token and the guesses.  A guess stays with the chance
 * min(1, p / q); in place of the first that does not comes one from what p has more than q.
 * So each token has the odds p, whatever the draft is. */
static void verify(Speculation *s, int k, int end, uint64_t *seed) {
    int vocab = s->target.m->vocab, kept = 0;
    Row rows[GUESSES + 1];
    for (int i = 0; i <= k; i++)
        rows[i] = (Row){&s->target, s->ids[s->n - 1 + i], s->n - 1 + i};
    forward(s->target.m, rows, k + 1, k + 1, s->p);
    for (int i = 0; i <= k; i++) softmax(s->p + i * vocab, vocab);
    for (; kept < k; kept++) {
        float *p = s->p + kept * vocab, *q = s->q + kept * vocab;
        int token = s->ids[s->n + kept];
        if (coin(seed) * q[token] < p[token]) continue;
        for (int i = 0; i < vocab; i++) p[i] = p[i] > q[i] ? p[i] - q[i] : 0;
        break;
    }
    s->n += kept;
    if (s->n < end) s->ids[s->n] = draw(s->p + kept * vocab, vocab, seed), s->n++;
    if (s->draft.n > s->n - 1) s->draft.n = s->n - 1; /* guesses that are gone */
}

/* So many continuations of one prompt: each a line, how many passes it took and its tokens. */
static void run_speculate(char **argument) {
    Model target = read_model(argument[0]), draft = read_model(argument[1]);
    int most = argument_number(argument[2]), length = argument_number(argument[3]), n,
        *prompt = input_ids(&n);
    uint64_t seed = argument_number(argument[5]);
    if (!n || most > GUESSES || target.vocab != draft.vocab)
        die("speculate",
            "needs a prompt, at most 16 guesses, and two models with the same words");
    Speculation s = {.target = begin(&target),
                     .draft = begin(&draft),
                     .ids = room(n + length + GUESSES, sizeof(int)),
                     .q = floats((GUESSES + 1) * target.vocab),
                     .p = floats((GUESSES + 1) * target.vocab)};
    memcpy(s.ids, prompt, n * sizeof *prompt);
    read_on(&s.target, prompt, n - 1), read_on(&s.draft, prompt, n - 1);
    for (int count = argument_number(argument[4]); count > 0; count--) {
        int passes = 0, end = n + length;
        s.n = n, s.draft.n = n - 1;
        for (; s.n < end; passes++) {
            int k = end - s.n < most ? end - s.n : most;
            guess(&s, k, &seed);
            verify(&s, k, end, &seed);
        }
        printf("%d", passes);
        for (int i = n; i < end; i++) printf(" %d", s.ids[i]);
        putchar('\n');
    }
}

/* ------------------------------------------------------------------ 12. a constraint */

/* What is still to come, the next on top.  Small letters and marks stand for themselves:
 *
 *   V a value    S the rest of a string    M what may follow {    R what may follow a member
 *   I what may follow [    J what may follow an item    D more digits    N a digit after - */
typedef struct Expected {
    char stack[80];
    int n;
} Expected;

/* Push what the string says, its first character on top. */
static bool push(Expected *e, const char *what) {
    int n = (int)strlen(what);
    if (e->n + n > (int)sizeof e->stack) return false;
    while (n > 0) e->stack[e->n++] = what[--n];
    return true;
}

static bool take_value(Expected *e, char c) {
    static const char *const ways[] = {"{M", "[I", "\"S", "-N", "0", "true", "false", "null"};
    for (int i = 0; i < 8; i++)
        if (c == ways[i][0]) return push(e, ways[i] + 1);
    return c >= '1' && c <= '9' && push(e, "D");
}

/* Whether the byte may come; then it is taken. */
static bool take_byte(Expected *e, char c) {
    if (!e->n) return false;
    char top = e->stack[--e->n];
    switch (top) {
    case 'V': return take_value(e, c);
    case 'S': return c == '"' || (c >= 32 && c < 127 && c != '\\' && push(e, "S"));
    case 'M': return c == '}' || (c == '"' && push(e, "S:VR"));
    case 'R': return c == '}' || (c == ',' && push(e, "\"S:VR"));
    case 'I': return c == ']' || (push(e, "J") && take_value(e, c));
    case 'J': return c == ']' || (c == ',' && push(e, "VJ"));
    case 'N': return c == '0' || (c >= '1' && c <= '9' && push(e, "D"));
    case 'D': return isdigit((unsigned char)c) ? push(e, "D") : take_byte(e, c);
    default: return c == top;
    }
}

/* Bytes of the shortest way to the end: one for each that is expected, none for more digits. */
static int bytes_left(const Expected *e) {
    int n = 0;
    for (int i = 0; i < e->n; i++) n += e->stack[i] != 'D';
    return n;
}

static bool take_token(Expected *e, Text text) {
    for (size_t i = 0; i < text.size; i++)
        if (!take_byte(e, text.at[i])) return false;
    return text.size > 0;
}

/* Draw by the model's odds among the tokens that may come and leave room for an end. */
static int draw_allowed(const Reading *r, Expected *e, int left, uint64_t *seed) {
    const Text *bytes = r->m->words.bytes;
    softmax(r->logits, r->m->vocab);
    for (int i = 0; i < r->m->vocab; i++) {
        Expected next = *e;
        if (!take_token(&next, bytes[i]) || bytes_left(&next) > left - 1) r->logits[i] = 0;
    }
    int token = draw(r->logits, r->m->vocab, seed);
    return take_token(e, bytes[token]), token;
}

/* So many JSON objects, a line of tokens each; all end within `longest` tokens. */
static void run_json(char **argument) {
    Model m = read_model(argument[0]);
    Reading r = begin(&m);
    int longest = argument_number(argument[1]), n, *prompt = input_ids(&n);
    uint64_t seed = argument_number(argument[3]);
    if (!n || longest < 2) die("json", "needs a prompt and at least two tokens: {}");
    read_on(&r, prompt, n - 1);
    for (int count = argument_number(argument[2]); count > 0; count--) {
        Expected e = {.n = 0};
        int token = prompt[n - 1];
        push(&e, "{M"), r.n = n - 1;
        for (int left = longest; e.n; left--) {
            read_on(&r, &token, 1);
            token = draw_allowed(&r, &e, left, &seed);
            printf(e.n ? "%d " : "%d\n", token);
        }
    }
}

/* ------------------------------------------------------------------ the commands */

int main(int argc, char **argv) {
    static const struct {
        const char *name, *arguments;
        int least, most;
        void (*run)(char **argument);
    } commands[] = {
        {"read", "MODEL", 1, 1, run_read},
        {"tokens", "MODEL < TEXT", 1, 1, run_tokens},
        {"text", "MODEL < IDS", 1, 1, run_text},
        {"logits", "MODEL < IDS", 1, 1, run_logits},
        {"generate", "MODEL N [THREADS] < TEXT", 2, 3, run_generate},
        {"perplexity", "MODEL < IDS", 1, 1, run_perplexity},
        {"product", "MODEL TENSOR N [THREADS] < VECTOR", 3, 4, run_product},
        {"sample", "< SETTINGS", 0, 0, run_sample},
        {"batch", "MODEL N < PROMPTS", 2, 2, run_batch},
        {"speculate", "MODEL DRAFT GUESSES N COUNT SEED < IDS", 6, 6, run_speculate},
        {"json", "MODEL N COUNT SEED < IDS", 4, 4, run_json}};
    enum { COMMANDS = sizeof commands / sizeof *commands };
    for (int i = 0; i < COMMANDS; i++)
        if (argc > 1 && strcmp(argv[1], commands[i].name) == 0 &&
            argc - 2 >= commands[i].least && argc - 2 <= commands[i].most)
            return commands[i].run(argv + 2), 0;
    fprintf(stderr, "usage, one of:\n");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stderr, "    whole %s %s\n", commands[i].name, commands[i].arguments);
    return 2;
}
