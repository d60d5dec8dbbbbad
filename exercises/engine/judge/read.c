/* read.c - chapters 1 and 2: a GGUF file, and text to tokens and back.  See engine.h. */
#include "engine.h"

#include "file_map.h"

#include <stdarg.h>

enum { KEYS = 32, MATRICES = 7 };

static char lines[KEYS + MATRICES][300];
static int n_lines;

static void __attribute__((format(printf, 1, 2))) expect(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lines[n_lines++], sizeof lines[0], format, arguments);
    va_end(arguments);
}

/* Keys of 12 types, two arrays of strings, and an array of each of 11 types of numbers. */
static void random_key(Out *out, int i) {
    static const int types[] = {GGUF_U8,  GGUF_I8,     GGUF_U16,   GGUF_I16,  GGUF_U32,
                                GGUF_I32, GGUF_F32,    GGUF_BOOL,  GGUF_U64,  GGUF_I64,
                                GGUF_F64, GGUF_STRING, GGUF_ARRAY, GGUF_ARRAY};
    int type = i < 14 ? types[i] : GGUF_ARRAY, n = judge_between(i < 14 ? 0 : 1, 9);
    long long value = judge_between(1, 120);
    bool has_sign = type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32 || type == GGUF_I64;
    char key[60], text[120];
    snprintf(key, sizeof key, "%s.k%d", i % 3 ? "general" : "llama.some",
             judge_between(100, 999) * 20 + i);
    snprintf(text, sizeof text,
             "word%d and %d, with an ending that lies more than sixty-four bytes behind it",
             judge_between(0, 999), judge_between(0, 9));
    if (has_sign) value = -value;
    if (type == GGUF_U8) value += 130; /* where a signed number would be negative */
    if (type == GGUF_U16) value = 65535 - value;
    if (type == GGUF_U32) value = 4294967295 - value * 1000003;
    if (type == GGUF_U64 || type == GGUF_I64) value *= 1000006000009; /* more than 32 bits */
    if (type == GGUF_BOOL) value = judge_between(0, 1);
    if (type == GGUF_F32) {
        double x = judge_between(-900, 900) / 64.0;
        out_float(out, key, x);
        expect("key %s %g", key, x);
    } else if (type == GGUF_F64) {
        double x = judge_between(-900, 900) / 64.0;
        memcpy(&value, &x, 8);
        out_int(out, key, type, value);
        expect("key %s %g", key, x);
    } else if (type == GGUF_STRING) {
        out_text(out, key, text);
        expect("key %s %s", key, text);
    } else if (type == GGUF_ARRAY) {
        int item = i < 14 ? GGUF_STRING : types[i - 14];
        out_array(out, key, item, n);
        for (int k = 0; k < n; k++)
            item == GGUF_STRING ? out_item_text(out, text, (size_t)k)
                                : out_item_int(out, item, k);
        expect("key %s [%d]", key, n);
    } else {
        out_int(out, key, type, value);
        expect("key %s %lld", key, value);
    }
}

/* The second matrix of halves has subnormals only, the second of Q8_0 subnormal scales; the
 * last tensor has 3 dimensions; `odd`: a half of the first. */
static void random_matrix(Out *out, int i, double odd) {
    static const char *const names[] = {"F32", "F16", "Q8_0"};
    static const int formats[] = {F32, F16, Q8_0};
    int kind = i % 3, depth = i == MATRICES - 1 ? judge_between(2, 4) : 1,
        rows = depth * judge_between(1 + (depth > 1), 7),
        cols = kind == 2 ? 32 * judge_between(1, 3) : judge_between(1, 70);
    double *x = malloc(sizeof *x * (size_t)(rows * cols)), sum = 0;
    char name[40];
    need(x, "no memory");
    double size = i == 4 ? 1e-5 : i == 5 ? 1e-3 : 1;
    for (int k = 0; k < rows * cols; k++) x[k] = size * (1 + judge_normal());
    if (i == 1 && odd != 0) x[judge_between(0, rows * cols - 1)] = odd;
    round_rows(x, rows * cols, formats[kind]);
    for (int k = 0; k < rows * cols; k++) sum += x[k] * (1 + k % 5);
    snprintf(name, sizeof name, "blk.%d.t%d.weight", i, judge_between(0, 999));
    out_tensor(out, name, formats[kind], rows, cols, x);
    out_depth(out, depth);
    expect("tensor %s %s %d %d %.6g", name, names[kind], rows, cols, sum);
}

static bool same_word(const char *got, const char *want) {
    char *got_end, *want_end;
    double a = strtod(got, &got_end), b = strtod(want, &want_end);
    if (*got_end || *want_end || got_end == got) return strcmp(got, want) == 0;
    if (!isfinite(b)) return isnan(b) ? isnan(a) : a == b;
    return fabs(a - b) <= 1e-4 * fmax(1, fabs(b));
}

/* The first word in which two lines differ, from 0; -1: none. */
static int parting(char *got, const char *want) {
    char copy[300], *at_got = NULL, *at_want = NULL;
    snprintf(copy, sizeof copy, "%.299s", want);
    char *g = strtok_r(got, " ", &at_got), *w = strtok_r(copy, " ", &at_want);
    int word = 0;
    for (; g && w && same_word(g, w); word++)
        g = strtok_r(NULL, " ", &at_got), w = strtok_r(NULL, " ", &at_want);
    return g || w ? word : -1;
}

/* Why a line may differ, by what stands in it and the word that differs. */
static const char *about(const char *want, int word) {
    enum { NAME = 1, FORMAT, ROWS, COLUMNS };
    bool tensor = strncmp(want, "tensor", 6) == 0;
    if (tensor && word == FORMAT) return "format 0 is F32, 1 is F16, 8 is Q8_0";
    if (tensor && (word == ROWS || word == COLUMNS))
        return "shapes are stored columns first; a tensor of one dimension has 1 row, and of "
               "three ROWS is the product of the second and third size";
    if (tensor && word > COLUMNS)
        return "the sum adds number i, from 0, times 1 + i % 5; the numbers begin at the next "
               "multiple of general.alignment (32 when the file has no such key) after the "
               "last tensor's entry, each tensor at its offset from there, whatever the "
               "entries' order; a half with exponent 0 has no hidden 1, one with exponent 31 "
               "is infinite or NaN; a block of Q8_0 is a half, which may be negative, and 32 "
               "signed bytes";
    if (strchr(want, '['))
        return "an array is a type, a count, and the items: skip all of them";
    return tensor || word <= NAME
               ? "lines come in the file's order: `key NAME VALUE`, then `tensor NAME FORMAT "
                 "ROWS COLUMNS SUM`; what lies between two names must be read to its last byte"
               : "a key is a length of 8 bytes, its name, a type of 4 bytes and a value, whose "
                 "size depends on the type; signed and unsigned differ, and so do F32 and F64";
}

static void read_file_once(int round) {
    unsigned alignment = (unsigned[]){32, 256, 8, 1024}[round];
    Out *out = out_open("read.gguf", alignment);
    n_lines = 0;
    if (alignment != 32) expect("key general.alignment %u", alignment);
    for (int i = 0, first = judge_between(0, 24); i < 25; i++)
        random_key(out, (first + i) % 25);
    for (int i = 0; i < MATRICES; i++)
        random_matrix(out, i, (double[]){0, INFINITY, -INFINITY, NAN}[round]);
    if (round % 2) out_scatter(out);
    out_close(out);
    Reply r = ask("read %s", judge_path("read.gguf"));
    char *at = NULL, *line = strtok_r(r.text, "\n", &at);
    for (int i = 0; i < n_lines; i++, line = strtok_r(NULL, "\n", &at)) {
        char copy[300];
        need(line, "%d lines printed, expected %d: the next is `%s`", i, n_lines, lines[i]);
        snprintf(copy, sizeof copy, "%s", line);
        int word = parting(line, lines[i]);
        need(word < 0, "line %d is `%s`, expected `%s`: %s", i + 1, copy, lines[i],
             about(lines[i], word));
    }
    need(!line, "more lines than keys and tensors: `%s`", line);
}

/* Change one byte of the last round's file: the program must refuse it. */
static void need_refusal(long at, int byte, const char *why) {
    FILE *file = fopen(judge_path("read.gguf"), "r+b");
    need(file && fseek(file, at, SEEK_SET) == 0, "the judge: %s is gone",
         judge_path("read.gguf"));
    int old = fgetc(file);
    fseek(file, at, SEEK_SET), fputc(byte, file), fclose(file);
    need(ask_fails("read %s", judge_path("read.gguf")),
         "byte %ld of %s is %d in place of %d, and the program does not end with an error "
         "(exit status 1 to 127): %s",
         at, judge_path("read.gguf"), byte, old, why);
    file = fopen(judge_path("read.gguf"), "r+b");
    fseek(file, at, SEEK_SET), fputc(old, file), fclose(file);
}

void chapter_read(void) {
    for (int i = 0; i < 4; i++) read_file_once(i);
    need_refusal(judge_between(0, 3), 'g', "a file without \"GGUF\" in front is no model");
    need_refusal(4, 1, "version 1 had other sizes; 2 and 3 are those of the page");
}

/* ------------------------------------------------------------------ 2 */

static int library_tokens(const char *model, const char *text, size_t size, int *ids) {
    Fault fault;
    FileMap file;
    Gguf gguf;
    TokenList list = {0};
    need(file_open(&file, model, &fault), "the judge: %s", fault.text);
    need(gguf_parse(&gguf, file.data, file.size, &fault), "the judge: %s", fault.text);
    Tokenizer *t = tokenizer_open(&gguf, &fault);
    need(t, "the judge: %s", fault.text);
    tokenizer_begin(t, &list);
    need(tokenizer_encode(t, (Text){text, size}, false, &list, &fault), "the judge: %s",
         fault.text);
    int n = (int)list.count;
    for (int i = 0; i < n; i++) ids[i] = list.ids[i];
    token_list_free(&list);
    tokenizer_close(t);
    gguf_free(&gguf);
    file_close(&file);
    return n;
}

int text_tokens(const char *name, const char *model, int *ids) {
    Fault fault;
    FileMap file;
    need(file_open(&file, judge_path(name), &fault), "the judge: %s", fault.text);
    int n = library_tokens(judge_path(model), (const char *)file.data, file.size, ids);
    file_close(&file);
    return n;
}

/* A letter beyond ASCII: Latin (c3 to c9), Chinese (e4 to e9), Gothic (f0), accented e. */
static int high_letter(char *out) {
    int way = judge_between(0, 5), c = judge_between(0xc0, 0x24f);
    if (way == 3) c = judge_between(0x4e00, 0x9fa5);
    if (way == 4) c = judge_between(0x10330, 0x10340);
    if (way == 5 || c == 0xd7 || c == 0xf7) c = 0xe9; /* those two are signs */
    int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const int lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = n - 1; i > 0; i--, c >>= 6) out[i] = (char)(0x80 | (c & 63));
    return out[0] = (char)(lead[n] | c), n;
}

/* A word: tokens of small letters, now and then a letter beyond ASCII between them. */
static int random_word(const TestModel *m, char *out, int tokens) {
    int n = 0;
    while (tokens > 0) {
        int token = judge_between(0, m->vocab - 1), plain = 1;
        unsigned char last = m->bytes[token][m->size[token] - 1];
        for (int i = 0; i < m->size[token]; i++) plain &= m->bytes[token][i] < 128;
        if (token == m->end || !plain || last < 'a' || last > 'z') continue;
        memcpy(out + n, m->bytes[token], (size_t)m->size[token]), n += m->size[token], tokens--;
        if (judge_between(0, 5) == 0) n += high_letter(out + n);
    }
    return n;
}

int random_text(const TestModel *m, const char *name, const char *model, int words, int *ids) {
    static const char *const
        joints[] = {" ",    " ",     " ",     " ",         " ",    ", ",   ". ",   "\n\n",
                    "  ",   "'s ",   "'ll ",  " 12 ",      "745 ", "! \"", "-",    "\n ",
                    "'re ", "'ve ",  "'m ",   "'d ",       "'t ",  "!\t",  "\t\t", "!\v",
                    "!\f",  "!\r\n", " \r\n", "\xc3\xa9 ", "" /* a 0 byte */};
    enum { JOINTS = sizeof joints / sizeof *joints };
    static char text[40000];
    int n = 0;
    for (int i = 0; i < words; i++) {
        n += random_word(m, text + n, judge_between(1, 3));
        bool is_long = words >= 100 && i % 30 == 20; /* a cut too early parts a pair of these */
        int least = i % 120 == 20 ? 700 : 30;        /* three words of more than 2000 bytes */
        for (int k = is_long ? judge_between(least, least + 170) : 0; k > 0; k--)
            memcpy(text + n, "n\xc3\xa9", 3), n += 3;
        const char *joint = joints[judge_between(0, JOINTS - 1)];
        int size = *joint ? (int)strlen(joint) : 1;
        if (i + 1 < words) memcpy(text + n, joint, (size_t)size), n += size;
    }
    FILE *file = judge_input(name);
    fwrite(text, 1, (size_t)n, file);
    fclose(file);
    return text_tokens(name, model, ids);
}

/* The bytes of token i of `ids` at `at` in a reply; returns where they end. */
static size_t need_word(const TestModel *m, const int *ids, int i, const Reply *r, size_t at) {
    for (int k = 0; k < m->size[ids[i]]; k++, at++) {
        need(at < r->size, "the text ends after %zu bytes, in token %d, number %d in %s", at,
             ids[i], i + 1, judge_path("in"));
        need((unsigned char)r->text[at] == m->bytes[ids[i]][k],
             "byte %zu of the text is %d, expected %d (of token %d, number %d in %s): %s", at,
             (unsigned char)r->text[at], m->bytes[ids[i]][k], ids[i], i + 1, judge_path("in"),
             i > 0 && ids[i - 1] == m->end
                 ? "the token before it has type 3 in tokenizer.ggml.token_type, so no bytes"
                 : "the letters of tokenizer.ggml.tokens stand for bytes: a space is U+0120");
    }
    return at;
}

/* Why token i of a text may differ, by its bytes and those of the next. */
static const char *about_word(const TestModel *m, const int *ids, int i, int n) {
    const unsigned char *here = m->bytes[ids[i]], *next = m->bytes[ids[i + (i + 1 < n)]];
    if (here[0] == '\'')
        return "an ending is a word by itself: 's 't 're 've 'm 'll 'd; after letters beyond "
               "ASCII (bytes 128 and up), too";
    if (here[m->size[ids[i]] - 1] >= 128)
        return "bytes beyond ASCII (128 and up) are letters where words are cut, and join like "
               "others";
    if ((here[0] >= '\t' && here[0] <= '\r') || (next[0] >= '\t' && next[0] <= '\r'))
        return "cut the text into words: bytes 9 to 13 (tabs and line ends) are white space, "
               "as "
               "32 is";
    return "cut the text into words, then in each word join again and again that pair of "
           "neighbors that stands earliest in tokenizer.ggml.merges";
}

static void words_of(TestModel *m) {
    static int ids[40000], random[TOKENS];
    test_fill(m);
    test_write(m, "model.gguf");
    int n = random_text(m, "in", "model.gguf", 300, ids);
    size_t at = 0;
    Reply r = ask("tokens %s", judge_path("model.gguf"));
    for (int i = 0; i < n && i < (int)r.n; i++) {
        need(r.numbers[i] == ids[i],
             "token %d of the text, at byte %zu of %s, is %g, expected %d: %s", i + 1, at,
             judge_path("in"), r.numbers[i], ids[i],
             m->add_bos && r.numbers[0] != m->end
                 ? "tokenizer.ggml.add_bos_token is true, so bos_token_id comes first"
             : !m->add_bos && r.numbers[0] == m->end
                 ? "tokenizer.ggml.add_bos_token is false: the text's own tokens are all"
                 : about_word(m, ids, i, n));
        if (ids[i] != m->end) at += (size_t)m->size[ids[i]];
    }
    need(
        (int)r.n == n,
        "%zu tokens printed, expected %d for %zu bytes: read all of them, a byte 0 is one like "
        "others, and the last bytes count, too",
        r.n, n, at);
    FILE *in = judge_input("in");
    for (int i = 0; i < m->vocab; i++) random[i] = i; /* every token once, in any order */
    for (int i = m->vocab - 1; i > 0; i--) {
        int j = judge_between(0, i), other = random[i];
        random[i] = random[j], random[j] = other;
    }
    write_ids(in, random, m->vocab);
    fclose(in);
    r = ask("text %s", judge_path("model.gguf"));
    at = 0;
    for (int i = 0; i < m->vocab; i++)
        if (random[i] != m->end) at = need_word(m, random, i, &r, at);
    need(at == r.size, "%zu bytes printed, expected %zu: only the tokens' bytes, no line end",
         r.size, at);
}

void chapter_words(void) {
    for (int i = 0; i < 2; i++) {
        TestModel m = test_sizes();
        m.add_bos = i, m.n_merges = 150;
        words_of(&m);
    }
}
