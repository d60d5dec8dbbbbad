/* read.c - chapters 1 and 2: a GGUF file, and text to tokens and back.  See engine.h. */
#include "engine.h"

#include "file_map.h"

#include <stdarg.h>

enum { KEYS = 16, MATRICES = 6 };

static char lines[KEYS + MATRICES][300];
static int n_lines;

static void __attribute__((format(printf, 1, 2))) expect(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lines[n_lines++], sizeof lines[0], format, arguments);
    va_end(arguments);
}

static void random_key(Out *out, int i) {
    static const int types[] = {GGUF_U8,  GGUF_I8,     GGUF_U16,   GGUF_I16,  GGUF_U32,
                                GGUF_I32, GGUF_F32,    GGUF_BOOL,  GGUF_U64,  GGUF_I64,
                                GGUF_F64, GGUF_STRING, GGUF_ARRAY, GGUF_ARRAY};
    int type = types[i % 14], n = judge_between(0, 9);
    long long value = judge_between(0, 120);
    bool has_sign = type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32 || type == GGUF_I64;
    char key[60], text[120];
    snprintf(key, sizeof key, "%s.k%d", i % 3 ? "general" : "llama.some",
             judge_between(100, 999) * 20 + i);
    snprintf(text, sizeof text,
             "word%d and %d, with an ending that lies more than sixty-four bytes behind it",
             judge_between(0, 999), judge_between(0, 9));
    if (has_sign) value = -value;
    if (type == GGUF_U32 || type == GGUF_U64) value = value * 1000003;
    if (type == GGUF_U64) value = value * 1000003; /* more than 32 bits */
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
        int item =
            i % 2 ? GGUF_STRING : (int[]){GGUF_I32, GGUF_F32, GGUF_U64}[judge_between(0, 2)];
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

static void random_matrix(Out *out, int i) {
    static const char *const names[] = {"F32", "F16", "Q8_0"};
    static const int formats[] = {F32, F16, Q8_0};
    int kind = i % 3, rows = judge_between(1, 7),
        cols = kind == 2 ? 32 * judge_between(1, 3) : judge_between(1, 70);
    double *x = malloc(sizeof *x * (size_t)(rows * cols)), sum = 0;
    char name[40];
    need(x, "no memory");
    /* the second matrix of halves has subnormals only */
    double size = i == 4 ? 1e-5 : 1;
    for (int k = 0; k < rows * cols; k++) x[k] = size * (1 + judge_normal());
    round_rows(x, rows * cols, formats[kind]);
    for (int k = 0; k < rows * cols; k++) sum += x[k] * (1 + k % 5);
    snprintf(name, sizeof name, "blk.%d.t%d.weight", i, judge_between(0, 999));
    out_tensor(out, name, formats[kind], rows, cols, x);
    expect("tensor %s %s %d %d %.6g", name, names[kind], rows, cols, sum);
}

static bool same_word(const char *got, const char *want) {
    char *got_end, *want_end;
    double a = strtod(got, &got_end), b = strtod(want, &want_end);
    if (*got_end || *want_end || got_end == got) return strcmp(got, want) == 0;
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
        return "shapes are stored columns first; a tensor of one dimension has 1 row";
    if (tensor && word > COLUMNS)
        return "the sum adds number i, from 0, times 1 + i % 5; the numbers begin at the next "
               "multiple of general.alignment (32 when the file has no such key) after the "
               "last "
               "tensor's entry, each tensor at its offset from there; a half with exponent 0 "
               "has "
               "no hidden 1; a block of Q8_0 is a half and 32 signed bytes";
    if (strchr(want, '['))
        return "an array is a type, a count, and the items: skip all of them";
    return tensor || word <= NAME
               ? "lines come in the file's order: `key NAME VALUE`, then `tensor NAME FORMAT "
                 "ROWS "
                 "COLUMNS SUM`; what lies between two names must be read to its last byte"
               : "a key is a length of 8 bytes, its name, a type of 4 bytes and a value, whose "
                 "size depends on the type; signed and unsigned differ, and so do F32 and F64";
}

static void read_file_once(int round) {
    unsigned alignment = (unsigned[]){32, 256, 8, 1024}[round];
    Out *out = out_open("read.gguf", alignment);
    n_lines = 0;
    if (alignment != 32) expect("key general.alignment %u", alignment);
    for (int i = 0, n = judge_between(7, 14), first = judge_between(0, 13); i < n; i++)
        random_key(out, first + i);
    for (int i = 0; i < MATRICES; i++) random_matrix(out, i);
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

void chapter_read(void) {
    for (int i = 0; i < 4; i++) read_file_once(i);
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

int random_text(const TestModel *m, const char *name, const char *model, int words, int *ids) {
    static const char *const joints[] = {" ",    " ",  " ",   " ",        ", ",   ". ",
                                         "\n\n", "  ", "'s ", "'ll ",     " 12 ", "745 ",
                                         "! \"", "-",  "\n ", "\xc3\xa9 "};
    static char text[20000];
    int n = 0;
    for (int i = 0; i < words; i++) {
        for (int k = judge_between(1, 3); k > 0;) {
            int token = judge_between(0, m->vocab - 1);
            unsigned char last = m->bytes[token][m->size[token] - 1];
            if (token == m->end || last < 'a' || last > 'z') continue;
            memcpy(text + n, m->bytes[token], (size_t)m->size[token]), n += m->size[token], k--;
        }
        const char *joint = joints[judge_between(0, 15)];
        if (i + 1 < words) memcpy(text + n, joint, strlen(joint)), n += (int)strlen(joint);
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

static void words_of(TestModel *m) {
    static int ids[20000], random[300];
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
                 : "cut the text into words, then in each word join again and again that "
                   "pair of neighbors that stands earliest in tokenizer.ggml.merges");
        if (ids[i] != m->end) at += (size_t)m->size[ids[i]];
    }
    need((int)r.n == n, "%zu tokens printed, expected %d: the text's last bytes count, too",
         r.n, n);
    FILE *in = judge_input("in");
    some_ids(m, random, 300), random[judge_between(1, 290)] = m->end;
    write_ids(in, random, 300);
    fclose(in);
    r = ask("text %s", judge_path("model.gguf"));
    at = 0;
    for (int i = 0; i < 300; i++)
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
