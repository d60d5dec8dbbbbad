/* whole.c - an inference engine in one file: it reads a model, and writes text with it.
 *
 *     file --tensors--> text --tokens--> vectors --blocks, cache--> logits --odds--> token --> text
 *
 * Read it from top to bottom: a part stands on those above it, ends in the command that shows it, and
 * belongs to a chapter of docs/engine.  Nothing is used but the C library and threads.
 *
 *     cc -O3 -march=native whole.c -o whole -lm -lpthread
 *     echo -n "Once upon a time" | ./whole generate layer5_models/models/storyteller.gguf 60
 *
 * It runs Llama and Qwen 3 in F32, F16 and Q8_0, whose words are GPT-2's. */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(const char *where, const char *what) {
    fprintf(stderr, "%s: %s\n", where, what);
    exit(1);
}

static void *room(size_t count, size_t size) {
    void *zeros = calloc(count + 1, size);
    if (!zeros) die("memory", "there is not enough");
    return zeros;
}

/* ------------------------------------------------------------------ 1. read a GGUF */

typedef struct Text {
    const char *at;
    size_t size;
} Text;

/* Types of values: integers of 1, 2, 4 bytes (unsigned, then signed), and so on. */
enum { U8, I8, U16, I16, U32, I32, KEY_F32, BOOL, STRING, ARRAY, U64, I64, KEY_F64, TYPES };
static const int type_size[TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/* Formats of tensors, and the bytes of 32 numbers. */
enum { F32 = 0, F16 = 1, Q8_0 = 8 };

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
    memcpy(&value, at, (size_t)size);
    return value;
}

static uint64_t take_integer(File *f, int size) {
    return integer(take(f, (uint64_t)size), size);
}

static Text take_text(File *f) {
    Text text = {.size = take_integer(f, 8)};
    text.at = take(f, text.size);
    return text;
}

static bool is(Text text, const char *word) {
    return text.size == strlen(word) && memcmp(text.at, word, text.size) == 0;
}

static Key take_key(File *f) {
    Key key = {.name = take_text(f), .type = (int)take_integer(f, 4), .count = 1};
    key.item = key.type;
    if (key.type == ARRAY) key.item = (int)take_integer(f, 4), key.count = take_integer(f, 8);
    if (key.item < 0 || key.item >= TYPES || key.item == ARRAY)
        die("model file", "has a value of unknown type");
    key.value = f->at;
    if (key.item != STRING) take(f, key.count * (uint64_t)type_size[key.item]);
    for (uint64_t i = 0; key.item == STRING && i < key.count; i++) take_text(f);
    return key;
}

/* Shapes are stored columns first; data: for now its offset. */
static Tensor take_tensor(File *f) {
    Tensor t = {.name = take_text(f), .rows = 1};
    uint64_t dimensions = take_integer(f, 4);
    t.cols = take_integer(f, 8);
    for (uint64_t i = 1; i < dimensions; i++) t.rows *= take_integer(f, 8);
    t.format = (int)take_integer(f, 4);
    t.data = f->start + take_integer(f, 8);
    return t;
}

static size_t bytes_of(int format, size_t n) {
    return format == F32 ? 4 * n : format == F16 ? 2 * n : n / 32 * 34;
}

static const Key *find_key(const File *f, const char *name) {
    for (uint64_t i = 0; i < f->n_keys; i++)
        if (is(f->keys[i].name, name)) return &f->keys[i];
    return NULL;
}

static double number_at(int type, const char *at) {
    uint64_t bits = integer(at, type_size[type]);
    float narrow;
    double wide;
    memcpy(&narrow, at, sizeof narrow);
    if (type == KEY_F64) return memcpy(&wide, at, sizeof wide), wide;
    if (type == KEY_F32) return (double)narrow;
    if (type == I8) return (int8_t)bits;
    if (type == I16) return (int16_t)bits;
    if (type == I32) return (int32_t)bits;
    return type == I64 ? (double)(int64_t)bits : (double)bits;
}

/* The number of a key, or `otherwise` when the file has none. */
static double number(const File *f, const char *name, double otherwise) {
    const Key *key = find_key(f, name);
    return key && key->type != STRING && key->type != ARRAY ? number_at(key->type, key->value)
                                                            : otherwise;
}

static Text read_stream(FILE *stream, const char *name) {
    char *bytes = NULL;
    size_t size = 0, more = 1;
    for (; stream && more; size += more) {
        if (!(bytes = realloc(bytes, size + (1 << 20) + 1))) die(name, "is larger than memory");
        more = fread(bytes + size, 1, 1 << 20, stream);
    }
    if (!stream) die(name, "cannot be read");
    return bytes[size] = 0, (Text){bytes, size};
}

/* Header, keys, the tensors' names and shapes; then their numbers, from the next multiple on. */
static File open_file(const char *path) {
    Text all = read_stream(fopen(path, "rb"), path);
    File f = {.start = all.at, .at = all.at, .end = all.at + all.size};
    if (all.size < 24 || memcmp(take(&f, 4), "GGUF", 4) != 0) die(path, "is no GGUF file");
    if (take_integer(&f, 4) < 2) die(path, "is of version 1: write it again");
    f.n_tensors = take_integer(&f, 8), f.n_keys = take_integer(&f, 8);
    f.keys = room(f.n_keys, sizeof *f.keys), f.tensors = room(f.n_tensors, sizeof *f.tensors);
    for (uint64_t i = 0; i < f.n_keys; i++) f.keys[i] = take_key(&f);
    for (uint64_t i = 0; i < f.n_tensors; i++) f.tensors[i] = take_tensor(&f);
    size_t alignment = (size_t)number(&f, "general.alignment", 32);
    size_t data = ((size_t)(f.at - f.start) + alignment - 1) / alignment * alignment;
    for (uint64_t i = 0; i < f.n_tensors; i++) {
        Tensor *t = &f.tensors[i];
        t->data += data;
        if (t->format != F32 && t->format != F16 && t->format != Q8_0)
            die("a tensor", "is not in F32, F16 or Q8_0");
        if (t->data + bytes_of(t->format, t->rows * t->cols) > f.end)
            die(path, "ends before its tensors do");
    }
    return f;
}

/* IEEE half precision: 1 sign bit, 5 exponent bits (bias 15), 10 fraction bits. */
static float half(uint64_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                                : ldexpf((float)fraction, -24);
    return bits >> 15 ? -size : size;
}

/* Numbers `from` to `from + n` of a tensor; for Q8_0 both multiples of 32. */
static void widen(const Tensor *t, size_t from, size_t n, float *out) {
    if (t->format == F32) memcpy(out, t->data + 4 * from, 4 * n);
    for (size_t i = 0; t->format == F16 && i < n; i++)
        out[i] = half(integer(t->data + 2 * (from + i), 2));
    for (size_t i = 0; t->format == Q8_0 && i < n; i++) {
        const char *block = t->data + (from + i) / 32 * 34; /* a scale, then 32 signed bytes */
        out[i] = half(integer(block, 2)) * (float)(int8_t)block[2 + i % 32];
    }
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
            printf("%.*s\n", (int)integer(key->value, 8), key->value + 8);
        else
            printf("%.12g\n", number_at(key->type, key->value));
    }
    for (uint64_t i = 0; i < f.n_tensors; i++) {
        const Tensor *t = &f.tensors[i];
        float *x = room(t->rows * t->cols, sizeof *x);
        double sum = 0;
        widen(t, 0, t->rows * t->cols, x);
        for (size_t k = 0; k < t->rows * t->cols; k++)
            sum += (double)x[k] * (double)(1 + k % 5);
        printf("tensor %.*s %s %zu %zu %.9g\n", (int)t->name.size, t->name.at,
               t->format == F32   ? "F32"
               : t->format == F16 ? "F16"
                                  : "Q8_0",
               t->rows, t->cols, sum);
        free(x);
    }
}

/* ------------------------------------------------------------------ 2. text to tokens and back */

enum { LONGEST = 512 }; /* bytes of a word */

/* A pair of tokens that becomes one: the lower the rank, the earlier. */
typedef struct Merge {
    int left, right, result, rank;
} Merge;

typedef struct Words {
    Text *bytes; /* what each token stands for */
    int vocab, byte[256], bos, eos;
    bool add_bos, single_digits;
    Merge *merges; /* a hash table of `slots` */
    uint64_t slots;
} Words;

/* The letter that stands for a byte: itself, or, of those that cannot be seen, U+0100 and on. */
static int letter_of(int byte) {
    int hidden = 256;
    for (int b = 0; b <= byte; b++) {
        bool seen = (b > 32 && b < 127) || (b > 160 && b != 173);
        if (b == byte && seen) return byte;
        hidden += !seen;
    }
    return hidden - 1;
}

/* Letters back to bytes. */
static Text unlettered(Text name) {
    static int byte_of[512];
    for (int b = 0; b < 256 && !byte_of[letter_of(255)]; b++) byte_of[letter_of(b)] = b;
    char *out = room(name.size, 1);
    size_t n = 0;
    for (size_t i = 0; i < name.size; i++) {
        int c = (unsigned char)name.at[i];
        if (c >= 0xc0 && i + 1 < name.size) c = (c & 31) << 6 | (name.at[++i] & 63);
        out[n++] = (char)byte_of[c & 511];
    }
    return (Text){out, n};
}

static Text *texts_of(const File *f, const char *name, int *count) {
    const Key *key = find_key(f, name);
    if (!key || key->type != ARRAY || key->item != STRING) die(name, "is not in the file");
    Text *texts = room(key->count, sizeof *texts);
    File at = {.at = key->value, .end = f->end};
    for (uint64_t i = 0; i < key->count; i++) texts[i] = take_text(&at);
    return *count = (int)key->count, texts;
}

static const Text *names; /* of all tokens, to sort their numbers by */
static int by_name(const void *a, const void *b) {
    Text x = names[*(const int *)a], y = names[*(const int *)b];
    int order = memcmp(x.at, y.at, x.size < y.size ? x.size : y.size);
    return order ? order : (x.size > y.size) - (x.size < y.size);
}

/* The token of that name; order: all tokens by name. */
static int token_named(const int *order, int n, Text name) {
    for (int low = 0, high = n; low < high;) {
        int middle = (low + high) / 2, token = order[middle];
        Text other = names[token];
        int way = memcmp(name.at, other.at, name.size < other.size ? name.size : other.size);
        if (!way) way = (name.size > other.size) - (name.size < other.size);
        if (!way) return token;
        if (way < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}

static Merge *slot_of(const Words *w, int left, int right) {
    uint64_t i =
        ((uint64_t)left * 0x9e3779b97f4a7c15 ^ (uint64_t)right * 0xbf58476d1ce4e5b9) >> 20;
    while (w->merges[i % w->slots].result &&
           (w->merges[i % w->slots].left != left || w->merges[i % w->slots].right != right))
        i++;
    return &w->merges[i % w->slots];
}

static void read_merges(Words *w, const File *f, const int *order) {
    int n;
    Text *merges = texts_of(f, "tokenizer.ggml.merges", &n);
    w->slots = 4 * (uint64_t)n + 1;
    w->merges = room(w->slots, sizeof *w->merges);
    for (int i = 0; i < n; i++) {
        const char *space = memchr(merges[i].at + 1, ' ', merges[i].size - 1);
        if (!space) die("tokenizer.ggml.merges", "holds a merge without a space");
        size_t size = (size_t)(space - merges[i].at);
        Text left = {merges[i].at, size}, right = {space + 1, merges[i].size - size - 1};
        char *both = room(merges[i].size, 1);
        memcpy(both, left.at, size), memcpy(both + size, right.at, right.size);
        int a = token_named(order, w->vocab, left), b = token_named(order, w->vocab, right);
        int result = token_named(order, w->vocab, (Text){both, size + right.size});
        if (a < 0 || b < 0 || result < 0)
            die("tokenizer.ggml.merges", "holds a merge of unknown tokens");
        *slot_of(w, a, b) = (Merge){a, b, result + 1, i}; /* + 1: 0 is an empty slot */
        free(both);
    }
}

static Words read_words(const File *f) {
    Words w = {.bos = (int)number(f, "tokenizer.ggml.bos_token_id", -1),
               .eos = (int)number(f, "tokenizer.ggml.eos_token_id", -1),
               .add_bos = number(f, "tokenizer.ggml.add_bos_token", 0) != 0};
    const Key *types = find_key(f, "tokenizer.ggml.token_type"),
              *pre = find_key(f, "tokenizer.ggml.pre");
    Text kind = pre && pre->type == STRING ? (Text){pre->value + 8, integer(pre->value, 8)}
                                           : (Text){"gpt-2", 5};
    w.single_digits = is(kind, "smollm");
    if (!w.single_digits && !is(kind, "gpt-2"))
        die("tokenizer.ggml.pre", "is neither gpt-2 nor smollm");
    names = texts_of(f, "tokenizer.ggml.tokens", &w.vocab);
    w.bytes = room((size_t)w.vocab, sizeof *w.bytes);
    int *order = room((size_t)w.vocab, sizeof *order);
    for (int i = 0; i < w.vocab; i++) {
        bool plain =
            !types || integer(types->value + 4 * i, 4) != 3; /* 3: steers, is not text */
        order[i] = i, w.bytes[i] = plain ? unlettered(names[i]) : (Text){"", 0};
        if (w.bytes[i].size == 1) w.byte[(unsigned char)*w.bytes[i].at] = i;
    }
    qsort(order, (size_t)w.vocab, sizeof *order, by_name);
    read_merges(&w, f, order);
    free(order);
    return w;
}

static int class_of(unsigned char c) {
    return isspace(c) ? 0 : isalpha(c) || c >= 128 ? 1 : isdigit(c) ? 2 : 3;
}

/* The first word of a text as GPT-2 cuts it: an ending like 's; or a run of one class with a space
 * before it; or white space, of which the last goes with the word behind it. */
static size_t word_size(Text text, bool single_digits) {
    static const char *const endings[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    const unsigned char *c = (const unsigned char *)text.at;
    if (single_digits && isdigit(*c)) return 1;
    for (int i = 0; i < 7; i++) {
        size_t size = strlen(endings[i]);
        if (size <= text.size && memcmp(c, endings[i], size) == 0) return size;
    }
    size_t size =
        *c == ' ' && text.size > 1 && class_of(c[1]) != 0 && !(single_digits && isdigit(c[1]));
    int first = class_of(c[size]);
    while (size < text.size && size < LONGEST && class_of(c[size]) == first) size++;
    bool whole = size == text.size || (single_digits && isdigit(c[size]));
    return first == 0 && size > 1 && !whole ? size - 1 : size;
}

/* Join that pair of neighbors which was learned first, until none is known. */
static int encode_word(const Words *w, Text word, int *ids) {
    int n = 0;
    for (size_t i = 0; i < word.size; i++) ids[n++] = w->byte[(unsigned char)word.at[i]];
    for (;;) {
        Merge best = {.rank = INT32_MAX};
        int at = -1;
        for (int i = 0; i + 1 < n; i++) {
            const Merge *m = slot_of(w, ids[i], ids[i + 1]);
            if (m->result && m->rank < best.rank) best = *m, at = i;
        }
        if (at < 0) return n;
        ids[at] = best.result - 1;
        memmove(ids + at + 1, ids + at + 2, (size_t)(--n - at - 1) * sizeof *ids);
    }
}

static int encode(const Words *w, Text text, int **ids) {
    int n = 0;
    *ids = room(text.size + 2, sizeof **ids);
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
    int *ids, n = encode(&w, read_stream(stdin, "standard input"), &ids);
    for (int i = 0; i < n; i++) printf("%d\n", ids[i]);
}

/* The numbers of a line of standard input; 0 at its end. */
static int read_line(int *ids, int most) {
    int n = 0, c;
    while ((c = getchar()) != EOF) {
        if (c == '\n' && n > 0) break;
        if (!isdigit(c)) continue;
        ungetc(c, stdin);
        if (n == most || scanf("%d", &ids[n++]) != 1)
            die("standard input", "has too many tokens");
    }
    return n;
}

static int *read_ids(int *n) {
    int *ids = NULL, more = 1;
    for (*n = 0; more; *n += more) {
        if (!(ids = realloc(ids, ((size_t)*n + 65536) * sizeof *ids)))
            die("memory", "there is not enough");
        more = read_line(ids + *n, 65536);
    }
    return ids;
}

static void put_token(const Words *w, int token) {
    if (token < 0 || token >= w->vocab) die("a token", "is not in the vocabulary");
    fwrite(w->bytes[token].at, 1, w->bytes[token].size, stdout);
}

static void run_text(char **argument) {
    File f = open_file(argument[0]);
    Words w = read_words(&f);
    int n, *ids = read_ids(&n);
    for (int i = 0; i < n; i++) put_token(&w, ids[i]);
}

/* ------------------------------------------------------------------ 7. the product (and 8. threads) */

/* rows x cols weights, as floats or in blocks of Q8_0. */
typedef struct Matrix {
    int format;
    size_t rows, cols;
    const char *data;
} Matrix;

/* Eight floats that one instruction adds or multiplies: gcc and clang find it for the machine. */
typedef float Lanes __attribute__((vector_size(32)));
static Lanes load(const float *x) {
    Lanes lanes;
    return memcpy(&lanes, x, sizeof lanes), lanes;
}

static float sum_of(Lanes x) {
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += x[k];
    return sum;
}

/* All halves as floats, so that a scale costs a load. */
static float half_table[1 << 16];
static void fill_halves(void) {
    for (unsigned i = 0; i < 1 << 16; i++) half_table[i] = half(i);
}

/* Without this the compiler would not know n, and keep the sums in memory. */
__attribute__((always_inline)) static inline void row_times(const Matrix *w, size_t row,
                                                            const float *x, int n, float *y);

/* One row of weights times n vectors (n, cols): the row is loaded once, whatever n is.  Two sums for
 * each vector, since the next step of one has to wait for the last. */
static inline void row_times(const Matrix *w, size_t row, const float *x, int n, float *y) {
    Lanes sum[4][2] = {{{0}}};
    size_t j = 0, cols = w->cols;
    if (w->format == Q8_0) {
        const char *block = w->data + row * cols / 32 * 34;
        for (; j < cols; j += 32, block += 34) {
            float scale = half_table[integer(block, 2)], weights[32];
            for (int k = 0; k < 32; k++) weights[k] = (float)(signed char)block[2 + k] * scale;
            for (size_t k = 0; k < 4; k++)
                for (int v = 0; v < n; v++)
                    sum[v][k % 2] +=
                        load(weights + 8 * k) * load(x + (size_t)v * cols + j + 8 * k);
        }
    } else {
        const float *weights = (const float *)(const void *)w->data + row * cols;
        for (; j + 16 <= cols; j += 16)
            for (size_t k = 0; k < 2; k++) {
                Lanes lanes = load(weights + j + 8 * k);
                for (int v = 0; v < n; v++)
                    sum[v][k] += lanes * load(x + (size_t)v * cols + j + 8 * k);
            }
        for (; j < cols; j++)
            for (int v = 0; v < n; v++)
                sum[v][0][j % 8] += weights[j] * x[(size_t)v * cols + j];
    }
    for (int v = 0; v < n; v++) y[(size_t)v * w->rows] = sum_of(sum[v][0] + sum[v][1]);
}

/* A part of a job for each thread: rows of a product are shared out, never a sum, so that any number
 * of threads gives the same numbers. */
typedef struct Job {
    float *y;
    const Matrix *w;
    const float *x;
    int n;
} Job;

static void do_rows(const Job *job, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        int v = 0;
        for (; v + 4 <= job->n; v += 4)
            row_times(job->w, i, job->x + (size_t)v * job->w->cols, 4,
                      job->y + (size_t)v * job->w->rows + i);
        for (; v < job->n; v++)
            row_times(job->w, i, job->x + (size_t)v * job->w->cols, 1,
                      job->y + (size_t)v * job->w->rows + i);
    }
}

/* Threads that sleep until there is a job: `turn` counts jobs, `busy` those still at this one. */
static struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    Job job;
    int threads, turn, busy;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER,
          .threads = 1};

static void do_share(const Job *job, int i) {
    size_t all = job->w->rows, n = (size_t)pool.threads;
    do_rows(job, all * (size_t)i / n, all * (size_t)(i + 1) / n);
}

static void *work(void *number) {
    int mine = *(int *)number, turn = 0;
    for (;;) {
        pthread_mutex_lock(&pool.lock);
        while (pool.turn == turn) pthread_cond_wait(&pool.wake, &pool.lock);
        turn = pool.turn;
        pthread_mutex_unlock(&pool.lock);
        do_share(&pool.job, mine);
        pthread_mutex_lock(&pool.lock);
        if (--pool.busy == 0) pthread_cond_signal(&pool.done);
        pthread_mutex_unlock(&pool.lock);
    }
    return NULL;
}

static void start_threads(int n) {
    static int numbers[64];
    pool.threads = n < 1 ? 1 : n > 64 ? 64 : n;
    for (int i = 1; i < pool.threads; i++) {
        pthread_t thread;
        numbers[i] = i;
        if (pthread_create(&thread, NULL, work, &numbers[i]) != 0)
            die("a thread", "cannot be started");
    }
}

/* y (n, rows) = x (n, cols) w^T */
static void multiply(float *y, const Matrix *w, const float *x, int n) {
    Job job = {y, w, x, n};
    if (pool.threads == 1) return do_share(&job, 0);
    pthread_mutex_lock(&pool.lock);
    pool.job = job, pool.busy = pool.threads - 1, pool.turn++;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    do_share(&job, 0);
    pthread_mutex_lock(&pool.lock);
    while (pool.busy) pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

/* The tensor of that name; F16 becomes floats.  Without it: no rows. */
static Matrix matrix_of(const File *f, const char *name) {
    for (uint64_t i = 0; i < f->n_tensors; i++) {
        const Tensor *t = &f->tensors[i];
        if (!is(t->name, name)) continue;
        Matrix m = {t->format, t->rows, t->cols, t->data};
        if (t->format == Q8_0 && t->cols % 32 == 0) return m;
        float *x = room(t->rows * t->cols, sizeof *x);
        widen(t, 0, t->rows * t->cols, x);
        return m.format = F32, m.data = (const char *)x, m;
    }
    return (Matrix){F32, 0, 0, NULL};
}

/* x becomes W x, divided by the root of the mean of its squares, so many times. */
static void run_product(char **argument) {
    File f = open_file(argument[0]);
    Matrix w = matrix_of(&f, argument[1]);
    if (!w.rows || w.rows != w.cols) die(argument[1], "is not a square matrix of the file");
    float *x = room(w.cols, sizeof *x), *y = room(w.rows, sizeof *y);
    for (size_t i = 0; i < w.cols; i++)
        if (scanf("%f", &x[i]) != 1) die("standard input", "a number is missing");
    if (argument[3]) start_threads(atoi(argument[3]));
    for (int n = atoi(argument[2]); n > 0; n--) {
        double squares = 0;
        multiply(y, &w, x, 1);
        for (size_t i = 0; i < w.rows; i++) squares += (double)y[i] * (double)y[i];
        for (size_t i = 0; i < w.rows; i++)
            x[i] = (float)(y[i] / sqrt(squares / (double)w.rows));
    }
    for (size_t i = 0; i < w.cols; i++) printf("%.9g\n", (double)x[i]);
}

/* ------------------------------------------------------------------ 3. a forward pass (with 5. its cache) */

typedef struct Block {
    Matrix attn_norm, q, k, v, out, ffn_norm, gate, up, down, q_norm, k_norm;
} Block;

typedef struct Model {
    int dim, heads, kv_heads, head_dim, hidden, layers, ctx, vocab;
    float epsilon, *turns; /* turns: cosines and sines (ctx, head_dim / 2, 2) */
    bool qwen3;
    Matrix embedding, end_norm, output;
    Block *blocks;
    Words words;
} Model;

/* The keys and values (layers, ctx, kv) of the tokens that were read. */
typedef struct Cache {
    float *keys, *values;
    int n;
} Cache;

/* A token to be read: behind `position` others of its text. */
typedef struct Row {
    Cache *cache;
    int token, position;
} Row;

static Matrix need_matrix(const File *f, int layer, const char *name, int rows, int cols) {
    char full[100];
    if (layer < 0)
        snprintf(full, sizeof full, "%s.weight", name);
    else
        snprintf(full, sizeof full, "blk.%d.%s.weight", layer, name);
    Matrix m = matrix_of(f, full);
    if (m.rows != (size_t)rows || m.cols != (size_t)cols)
        die(full, "is missing, or of another shape than the sizes say");
    return m;
}

static Block read_block(const File *f, const Model *m, int l) {
    int q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim, d = m->dim, h = m->hidden;
    Block b = {.attn_norm = need_matrix(f, l, "attn_norm", 1, d),
               .q = need_matrix(f, l, "attn_q", q, d),
               .k = need_matrix(f, l, "attn_k", kv, d),
               .v = need_matrix(f, l, "attn_v", kv, d),
               .out = need_matrix(f, l, "attn_output", d, q),
               .ffn_norm = need_matrix(f, l, "ffn_norm", 1, d),
               .gate = need_matrix(f, l, "ffn_gate", h, d),
               .up = need_matrix(f, l, "ffn_up", h, d),
               .down = need_matrix(f, l, "ffn_down", d, h)};
    if (m->qwen3) b.q_norm = need_matrix(f, l, "attn_q_norm", 1, m->head_dim);
    if (m->qwen3) b.k_norm = need_matrix(f, l, "attn_k_norm", 1, m->head_dim);
    return b;
}

/* How far pair i of a head turns at each position: position * base^(-2i / head_dim). */
static float *make_turns(const Model *m, double base) {
    int half = m->head_dim / 2;
    float *turns = room((size_t)m->ctx * (size_t)m->head_dim, sizeof *turns);
    for (int p = 0; p < m->ctx; p++)
        for (int i = 0; i < half; i++) {
            double angle = p * pow(base, -2.0 * i / m->head_dim);
            turns[2 * (p * half + i)] = (float)cos(angle),
                                  turns[2 * (p * half + i) + 1] = (float)sin(angle);
        }
    return turns;
}

static double size_named(const File *f, const char *family, const char *name,
                         double otherwise) {
    char full[100];
    snprintf(full, sizeof full, "%s.%s", family, name);
    return number(f, full, otherwise);
}

static Model read_model(const char *path) {
    File f = open_file(path);
    const Key *key = find_key(&f, "general.architecture");
    Text family = key && key->type == STRING ? (Text){key->value + 8, integer(key->value, 8)}
                                             : (Text){"", 0};
    Model m = {.qwen3 = is(family, "qwen3"), .words = read_words(&f)};
    if (!m.qwen3 && !is(family, "llama")) die(path, "is neither llama nor qwen3");
    const char *name = m.qwen3 ? "qwen3" : "llama";
    m.dim = (int)size_named(&f, name, "embedding_length", 0);
    m.heads = (int)size_named(&f, name, "attention.head_count", 1);
    m.kv_heads = (int)size_named(&f, name, "attention.head_count_kv", m.heads);
    m.head_dim = (int)size_named(&f, name, "attention.key_length", m.dim / m.heads);
    m.hidden = (int)size_named(&f, name, "feed_forward_length", 0);
    m.layers = (int)size_named(&f, name, "block_count", 0);
    m.ctx = (int)fmin(4096, size_named(&f, name, "context_length", 0));
    m.epsilon = (float)size_named(&f, name, "attention.layer_norm_rms_epsilon", 1e-5);
    m.vocab = m.words.vocab;
    m.turns = make_turns(&m, size_named(&f, name, "rope.freq_base", 10000));
    m.embedding = need_matrix(&f, -1, "token_embd", m.vocab, m.dim);
    m.end_norm = need_matrix(&f, -1, "output_norm", 1, m.dim);
    m.output = matrix_of(&f, "output.weight"); /* without it the embedding serves twice */
    if (!m.output.rows) m.output = m.embedding;
    m.blocks = room((size_t)m.layers, sizeof *m.blocks);
    for (int l = 0; l < m.layers; l++) m.blocks[l] = read_block(&f, &m, l);
    return m;
}

static Cache new_cache(const Model *m) {
    size_t n = (size_t)m->layers * (size_t)m->ctx * (size_t)(m->kv_heads * m->head_dim);
    return (Cache){room(n, sizeof(float)), room(n, sizeof(float)), 0};
}

/* out = x / sqrt(mean(x^2) + epsilon) * gain */
static void norm(float *out, const float *x, const Matrix *gain, float epsilon) {
    const float *g = (const float *)(const void *)gain->data;
    double squares = 0;
    for (size_t i = 0; i < gain->cols; i++) squares += (double)x[i] * (double)x[i];
    float scale = (float)(1 / sqrt(squares / (double)gain->cols + (double)epsilon));
    for (size_t i = 0; i < gain->cols; i++) out[i] = x[i] * scale * g[i];
}

static void norm_rows(const Model *m, float *out, const float *x, const Matrix *gain, int n) {
    for (int i = 0; i < n; i++) norm(out + i * m->dim, x + i * m->dim, gain, m->epsilon);
}

/* Pairs turn by their position: neighbors for llama, number i with number i + half for qwen3. */
static void turn(const Model *m, float *x, int heads, const Matrix *gain, int position) {
    int half = m->head_dim / 2, step = m->qwen3 ? 1 : 2, other = m->qwen3 ? half : 1;
    for (int h = 0; h < heads; h++, x += m->head_dim) {
        if (m->qwen3) norm(x, x, gain, m->epsilon);
        for (int i = 0; i < half; i++) {
            const float *way = m->turns + 2 * (position * half + i);
            float *a = x + i * step, *b = a + other, first = *a;
            *a = first * way[0] - *b * way[1];
            *b = first * way[1] + *b * way[0];
        }
    }
}

/* Scores become odds: positive, 1 in sum.  Subtract the largest, so that exp cannot overflow. */
static void softmax(float *x, int n) {
    float largest = x[0], sum = 0;
    for (int i = 1; i < n; i++) largest = x[i] > largest ? x[i] : largest;
    for (int i = 0; i < n; i++) sum += x[i] = expf(x[i] - largest);
    for (int i = 0; i < n; i++) x[i] /= sum;
}

static float dot(const float *a, const float *b, int n) {
    Lanes sum = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) sum += load(a + i) * load(b + i);
    for (; i < n; i++) sum[i % 8] += a[i] * b[i];
    return sum_of(sum);
}

/* Each head of a row mixes the values of all tokens up to its own, by how well their keys fit; a
 * group of heads shares keys and values. */
static void attend(const Model *m, int layer, const Row *row, const float *q, float *mixed) {
    int size = m->head_dim, kv = m->kv_heads * size, group = m->heads / m->kv_heads;
    float *score = room((size_t)row->position + 1, sizeof *score),
          scale = 1 / sqrtf((float)size);
    for (int h = 0; h < m->heads; h++) {
        size_t from = (size_t)layer * (size_t)(m->ctx * kv) + (size_t)(h / group * size);
        const float *keys = row->cache->keys + from, *values = row->cache->values + from;
        for (int j = 0; j <= row->position; j++)
            score[j] = dot(q + h * size, keys + j * kv, size) * scale;
        softmax(score, row->position + 1);
        memset(mixed + h * size, 0, (size_t)size * sizeof *mixed);
        for (int j = 0; j <= row->position; j++)
            for (int k = 0; k < size; k++) mixed[h * size + k] += score[j] * values[j * kv + k];
    }
    free(score);
}

static void add(float *x, const float *y, int n) {
    for (int i = 0; i < n; i++) x[i] += y[i];
}

/* Memory of a forward pass, for n rows. */
typedef struct Scratch {
    float *normed, *q, *k, *v, *mixed, *out, *gate, *up;
} Scratch;

static void attention(const Model *m, int l, const Row *rows, int n, float *x, Scratch *s) {
    const Block *b = &m->blocks[l];
    int q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim;
    norm_rows(m, s->normed, x, &b->attn_norm, n);
    multiply(s->q, &b->q, s->normed, n);
    multiply(s->k, &b->k, s->normed, n);
    multiply(s->v, &b->v, s->normed, n);
    for (int i = 0; i < n; i++) { /* first all keys: rows of one text may read each other */
        size_t here = ((size_t)l * (size_t)m->ctx + (size_t)rows[i].position) * (size_t)kv;
        turn(m, s->q + i * q, m->heads, &b->q_norm, rows[i].position);
        turn(m, s->k + i * kv, m->kv_heads, &b->k_norm, rows[i].position);
        memcpy(rows[i].cache->keys + here, s->k + i * kv, (size_t)kv * sizeof *s->k);
        memcpy(rows[i].cache->values + here, s->v + i * kv, (size_t)kv * sizeof *s->v);
    }
    for (int i = 0; i < n; i++) attend(m, l, &rows[i], s->q + i * q, s->mixed + i * q);
    multiply(s->out, &b->out, s->mixed, n);
    add(x, s->out, n * m->dim);
}

/* down(silu(gate) * up), where silu(g) = g / (1 + exp(-g)) */
static void feed_forward(const Model *m, int l, int n, float *x, Scratch *s) {
    const Block *b = &m->blocks[l];
    norm_rows(m, s->normed, x, &b->ffn_norm, n);
    multiply(s->gate, &b->gate, s->normed, n);
    multiply(s->up, &b->up, s->normed, n);
    for (int i = 0; i < n * m->hidden; i++)
        s->gate[i] = s->gate[i] / (1 + expf(-s->gate[i])) * s->up[i];
    multiply(s->out, &b->down, s->gate, n);
    add(x, s->out, n * m->dim);
}

static float *look_up(const Model *m, const Row *rows, int n) {
    float *x = room((size_t)(n * m->dim), sizeof *x);
    Tensor table = {.format = m->embedding.format, .data = m->embedding.data};
    for (int i = 0; i < n; i++) {
        if (rows[i].token < 0 || rows[i].token >= m->vocab)
            die("a token", "is not in the vocabulary");
        if (rows[i].position >= m->ctx) die("the text", "is longer than the model's context");
        widen(&table, (size_t)rows[i].token * (size_t)m->dim, (size_t)m->dim, x + i * m->dim);
    }
    return x;
}

/* Read these tokens; logits (n, vocab) of what may come after each. */
static void forward(const Model *m, const Row *rows, int n, float *logits) {
    size_t q = (size_t)(m->heads * m->head_dim), kv = (size_t)(m->kv_heads * m->head_dim),
           count = (size_t)n;
    size_t dim = (size_t)m->dim, hidden = (size_t)m->hidden;
    float *x = look_up(m, rows, n),
          *all = room(count * (2 * dim + 2 * q + 2 * kv + 2 * hidden), sizeof *all);
    Scratch s = {.normed = all, .out = all + count * dim, .q = all + count * 2 * dim};
    s.mixed = s.q + count * q, s.k = s.mixed + count * q, s.v = s.k + count * kv;
    s.gate = s.v + count * kv, s.up = s.gate + count * hidden;
    for (int l = 0; l < m->layers; l++) {
        attention(m, l, rows, n, x, &s);
        feed_forward(m, l, n, x, &s);
    }
    norm_rows(m, s.normed, x, &m->end_norm, n);
    multiply(logits, &m->output, s.normed, n);
    for (int i = 0; i < n; i++) rows[i].cache->n = rows[i].position + 1;
    free(all), free(x);
}

/* Read a text's next tokens, a few at a time; logits (vocab) of what may come after the last. */
static void read_on(const Model *m, Cache *cache, const int *ids, int n, float *logits) {
    enum { CHUNK = 16 };
    float *all = room((size_t)(CHUNK * m->vocab), sizeof *all);
    for (int i = 0, count; i < n; i += count) {
        Row rows[CHUNK];
        count = n - i < CHUNK ? n - i : CHUNK;
        for (int k = 0; k < count; k++) rows[k] = (Row){cache, ids[i + k], cache->n + k};
        forward(m, rows, count, all);
        memcpy(logits, all + (count - 1) * m->vocab, (size_t)m->vocab * sizeof *logits);
    }
    free(all);
}

static void run_logits(char **argument) {
    Model m = read_model(argument[0]);
    Cache cache = new_cache(&m);
    float *logits = room((size_t)m.vocab, sizeof *logits);
    int n, *ids = read_ids(&n);
    read_on(&m, &cache, ids, n, logits);
    for (int i = 0; i < m.vocab; i++) printf("%.9g\n", (double)logits[i]);
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
    Cache cache = new_cache(&m);
    float *logits = room((size_t)m.vocab, sizeof *logits);
    int *ids, n = encode(&m.words, read_stream(stdin, "standard input"), &ids);
    if (!n) die("standard input", "is empty: give the model something to continue");
    read_on(&m, &cache, ids, n, logits);
    for (int left = atoi(argument[1]); left > 0; left--) {
        int token = likeliest(logits, m.vocab);
        if (token == m.words.eos) break;
        put_token(&m.words, token);
        fflush(stdout);
        if (left > 1) read_on(&m, &cache, &token, 1, logits);
    }
}

/* ------------------------------------------------------------------ 6. perplexity */

/* exp of the mean surprise -log p at each token but the first. */
static void run_perplexity(char **argument) {
    Model m = read_model(argument[0]);
    Cache cache = new_cache(&m);
    float *logits = room((size_t)m.vocab, sizeof *logits);
    int n, *ids = read_ids(&n);
    double nats = 0;
    for (int i = 0; i + 1 < n; i++) {
        read_on(&m, &cache, &ids[i], 1, logits);
        softmax(logits, m.vocab);
        nats -= log((double)logits[ids[i + 1]] + 1e-30);
    }
    printf("%.6f\n", exp(nats / (n - 1)));
}

/* ------------------------------------------------------------------ 9. samplers */

/* A random number from [0, 1): the seed takes a step, its bits are stirred (splitmix64). */
static double coin(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* Put the odds end to end and pick a point: i comes up in proportion to its odds. */
static int draw(const float *p, int n, uint64_t *seed) {
    double sum = 0, point;
    for (int i = 0; i < n; i++) sum += (double)p[i];
    point = coin(seed) * sum;
    for (int i = 0; i < n; i++)
        if ((point -= (double)p[i]) < 0) return i;
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

/* How many of the choices, likeliest first, the three cuts keep; p: their odds at temperature 1. */
static int cut(float *p, int n, int top_k, double top_p, double min_p) {
    double sum = 0;
    int kept = 0;
    if (top_k > 0 && top_k < n) n = top_k;
    softmax(p, n);
    while (kept < n && sum < top_p) sum += (double)p[kept++];
    while (kept > 1 && (double)p[kept - 1] < min_p * (double)p[0]) kept--;
    return kept;
}

/* Settings from standard input: draws, seed, temperature, top_k, top_p, min_p, and logits. */
static void run_sample(char **argument) {
    (void)argument;
    int draws, top_k, n;
    uint64_t seed;
    double temperature, top_p, min_p;
    while (scanf("%d %" SCNu64 " %lf %d %lf %lf %d", &draws, &seed, &temperature, &top_k,
                 &top_p, &min_p, &n) == 7) {
        Choice *c = room((size_t)n, sizeof *c);
        float *p = room((size_t)n, sizeof *p);
        for (int i = 0; i < n; i++)
            if (c[i].token = i, scanf("%f", &c[i].logit) != 1)
                die("standard input", "a logit is missing");
        qsort(c, (size_t)n, sizeof *c, likelier);
        for (int i = 0; i < n; i++) p[i] = c[i].logit;
        int kept = cut(p, n, top_k, top_p, min_p);
        for (int i = 0; i < kept; i++) p[i] = c[i].logit / (float)temperature;
        softmax(p, kept);
        for (int i = 0; i < draws; i++)
            printf("%d%c", c[draw(p, kept, &seed)].token, i + 1 < draws ? ' ' : '\n');
        free(c), free(p);
    }
}

/* ------------------------------------------------------------------ 10. batching */

enum { TEXTS = 64, PROMPT = 4096 };

typedef struct Story {
    Cache cache;
    int ids[PROMPT], n, made[PROMPT], n_made;
    bool over;
} Story;

/* The next token of each text that is not over, and a row for it; the number of rows. */
static int next_rows(const Model *m, Story **stories, int n, const float *logits,
                     const int *from, int most, Row *rows, int *to) {
    int live = 0;
    for (int i = 0; i < n; i++) {
        Story *s = stories[i];
        if (s->over) continue;
        int token = likeliest(logits + (size_t)from[i] * (size_t)m->vocab, m->vocab);
        if (token == m->words.eos || s->n_made == most) {
            s->over = true;
            continue;
        }
        s->made[s->n_made++] = token;
        if (s->n_made == most)
            s->over = true;
        else
            to[i] = live, rows[live++] = (Row){&s->cache, token, s->cache.n};
    }
    return live;
}

/* One forward pass for all texts: each row of weights is loaded once for all of them. */
static void run_batch(char **argument) {
    Model m = read_model(argument[0]);
    Story *stories[TEXTS];
    int n = 0, most = atoi(argument[1]), from[TEXTS], live;
    float *logits = room((size_t)TEXTS * (size_t)m.vocab, sizeof *logits);
    Row rows[TEXTS];
    if (most > PROMPT) die(argument[1], "is more tokens than a text may have");
    for (; n < TEXTS; n++) {
        stories[n] = room(1, sizeof *stories[n]);
        if (!(stories[n]->n = read_line(stories[n]->ids, PROMPT))) break;
        stories[n]->cache = new_cache(&m), from[n] = n;
        read_on(&m, &stories[n]->cache, stories[n]->ids, stories[n]->n,
                logits + (size_t)n * (size_t)m.vocab);
    }
    while ((live = next_rows(&m, stories, n, logits, from, most, rows, from)) > 0)
        forward(&m, rows, live, logits);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < stories[i]->n_made; k++)
            printf(k ? " %d" : "%d", stories[i]->made[k]);
        putchar('\n');
    }
}

/* ------------------------------------------------------------------ 11. speculation */

enum { GUESSES = 16 };

/* A text that two models read: `ids` holds the prompt and what came after it. */
typedef struct Speculation {
    const Model *target, *draft;
    Cache target_cache, draft_cache;
    int *ids, n;
    float *q, *p; /* odds of the draft and the target (GUESSES + 1, vocab) */
} Speculation;

/* Guess k tokens one by one with the draft; they stand behind the text's n tokens. */
static void guess(Speculation *s, int k, uint64_t *seed) {
    int vocab = s->target->vocab;
    for (int i = 0; i < k; i++) {
        float *q = s->q + i * vocab;
        read_on(s->draft, &s->draft_cache, s->ids + s->draft_cache.n,
                s->n + i - s->draft_cache.n, q);
        softmax(q, vocab);
        s->ids[s->n + i] = draw(q, vocab, seed);
    }
}

/* One pass of the target over its last token and the guesses.  A guess stays with the chance
 * min(1, p / q); in place of the first that does not comes one from what p has more than q.  So each
 * token has the odds p, whatever the draft is. */
static void verify(Speculation *s, int k, int end, uint64_t *seed) {
    int vocab = s->target->vocab, kept = 0;
    Row rows[GUESSES + 1];
    for (int i = 0; i <= k; i++)
        rows[i] = (Row){&s->target_cache, s->ids[s->n - 1 + i], s->n - 1 + i};
    forward(s->target, rows, k + 1, s->p);
    for (int i = 0; i <= k; i++) softmax(s->p + i * vocab, vocab);
    for (; kept < k; kept++) {
        float *p = s->p + kept * vocab, *q = s->q + kept * vocab;
        int token = s->ids[s->n + kept];
        if (coin(seed) * (double)q[token] < (double)p[token]) continue;
        for (int i = 0; i < vocab; i++) p[i] = p[i] > q[i] ? p[i] - q[i] : 0;
        break;
    }
    s->n += kept;
    if (s->n < end) s->ids[s->n] = draw(s->p + kept * vocab, vocab, seed), s->n++;
    if (s->draft_cache.n > s->n - 1) s->draft_cache.n = s->n - 1; /* guesses that are gone */
}

/* So many continuations of one prompt: each a line, how many passes it took and its tokens. */
static void run_speculate(char **argument) {
    Model target = read_model(argument[0]), draft = read_model(argument[1]);
    int most = atoi(argument[2]), length = atoi(argument[3]), count = atoi(argument[4]), n,
        *prompt = read_ids(&n);
    uint64_t seed = strtoull(argument[5], NULL, 10);
    if (!n || most > GUESSES || target.vocab != draft.vocab)
        die("speculate",
            "needs a prompt, at most 16 guesses, and two models with the same words");
    Speculation s = {&target,
                     &draft,
                     new_cache(&target),
                     new_cache(&draft),
                     room((size_t)(n + length + GUESSES), sizeof(int)),
                     n,
                     NULL,
                     NULL};
    s.q = room((size_t)(GUESSES + 1) * (size_t)target.vocab, sizeof *s.q);
    s.p = room((size_t)(GUESSES + 1) * (size_t)target.vocab, sizeof *s.p);
    memcpy(s.ids, prompt, (size_t)n * sizeof *s.ids);
    if (n > 1)
        read_on(&target, &s.target_cache, prompt, n - 1, s.p),
            read_on(&draft, &s.draft_cache, prompt, n - 1, s.q);
    while (count-- > 0) {
        int passes = 0, end = n + length;
        s.n = n, s.draft_cache.n = n - 1;
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

/* What is still to come, the next on top: bytes stand for themselves, capitals for what may be.
 *
 *   V a value    S the rest of a string    M, I what may follow { and [    R, J what may follow a member
 *   and an item    D more digits    N a digit after a minus */
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
static int draw_allowed(const Model *m, const float *logits, Expected *e, int left,
                        uint64_t *seed) {
    float *p = room((size_t)m->vocab, sizeof *p);
    memcpy(p, logits, (size_t)m->vocab * sizeof *p);
    softmax(p, m->vocab);
    for (int i = 0; i < m->vocab; i++) {
        Expected next = *e;
        if (!take_token(&next, m->words.bytes[i]) || bytes_left(&next) > left - 1) p[i] = 0;
    }
    int token = draw(p, m->vocab, seed);
    free(p);
    return take_token(e, m->words.bytes[token]), token;
}

/* So many JSON objects, a line of tokens each; all end within `longest` tokens. */
static void run_json(char **argument) {
    Model m = read_model(argument[0]);
    int longest = atoi(argument[1]), n, *prompt = read_ids(&n);
    uint64_t seed = strtoull(argument[3], NULL, 10);
    Cache cache = new_cache(&m);
    float *first = room((size_t)m.vocab, sizeof *first),
          *logits = room((size_t)m.vocab, sizeof *logits);
    if (!n || longest < 2) die("json", "needs a prompt and at least two tokens: {}");
    read_on(&m, &cache, prompt, n, first);
    for (int count = atoi(argument[2]); count > 0; count--) {
        Expected e = {.n = 0};
        push(&e, "{M");
        cache.n = n;
        memcpy(logits, first, (size_t)m.vocab * sizeof *logits);
        for (int left = longest; e.n; left--) {
            int token = draw_allowed(&m, logits, &e, left, &seed);
            printf(e.n ? "%d " : "%d\n", token);
            if (e.n) read_on(&m, &cache, &token, 1, logits);
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
        {"generate", "MODEL N < TEXT", 2, 2, run_generate},
        {"perplexity", "MODEL < IDS", 1, 1, run_perplexity},
        {"product", "MODEL TENSOR N [THREADS] < VECTOR", 3, 4, run_product},
        {"sample", "< SETTINGS", 0, 0, run_sample},
        {"batch", "MODEL N < PROMPTS", 2, 2, run_batch},
        {"speculate", "MODEL DRAFT GUESSES N COUNT SEED < IDS", 6, 6, run_speculate},
        {"json", "MODEL N COUNT SEED < IDS", 4, 4, run_json}};
    fill_halves();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (argc > 1 && strcmp(argv[1], commands[i].name) == 0 &&
            argc - 2 >= commands[i].least && argc - 2 <= commands[i].most)
            return commands[i].run(argv + 2), 0;
    fprintf(stderr, "usage, one of:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stderr, "    whole %s %s\n", commands[i].name, commands[i].arguments);
    return 2;
}
