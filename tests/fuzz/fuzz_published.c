/* fuzz_published.c - damaged files of other people: fuzz_published [CASES [FIRST]]
 *
 * A good file is mangled: bytes changed, pieces cut, doubled, moved, words and numbers put in.  Either it is refused
 * with a sentence, or it is read, every byte of what was found is there, and a vocabulary that is taken opens and
 * makes tokens of a text.  No case takes more memory than a small file can ask for, nor more than ten seconds of
 * the processor.
 *
 *     safetensors   archive with a pickle   tokenizer.json   tokenizer.model
 *
 * Case N is the same on every machine: `fuzz_published 1 N` runs it alone. */
#include <signal.h>
#include <sys/time.h>

#include "made_archive.h"
#include "../../layer5_models/extras/convert/parts.h"
#include "pytorch.h"

enum { SOURCE = 12000, KINDS = 4, VOCAB = 40, SECONDS = 10 };

#include "mangle.h"

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=32:detect_leaks=1";
}

static size_t taken[KINDS], refused[KINDS];

/* ------------------------------------------------------------------ good files */

static const char *const json_seeds[] = {
    "{\"added_tokens\":[{\"id\":39,\"content\":\"<s>\",\"special\":true,\"lstrip\":false}],"
    "\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
    "\"use_regex\":true},\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":["
    "{\"SpecialToken\":{\"id\":\"<s>\"}},{\"Sequence\":{\"id\":\"A\"}}]},\"model\":{\"type\":"
    "\"BPE\","
    "\"dropout\":null,\"unk_token\":null,\"ignore_merges\":false,\"vocab\":{\"a\":0,\"b\":1,"
    "\"c\":2,"
    "\"ab\":3,\"abc\":4,\"\\u0120\":5,\"\\u0120a\":6},\"merges\":[\"a b\",[\"ab\",\"c\"],"
    "\"\\u0120 a\"]}}",
    "{\"added_tokens\":[{\"id\":0,\"content\":\"<unk>\",\"special\":true}],\"normalizer\":{"
    "\"type\":"
    "\"Sequence\",\"normalizers\":[{\"type\":\"Prepend\",\"prepend\":\"\\u2581\"},{\"type\":"
    "\"Replace\",\"pattern\":{\"String\":\" "
    "\"},\"content\":\"\\u2581\"}]},\"pre_tokenizer\":null,"
    "\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"vocab\":{\"<unk>\":0,\"<0x0A>\":1,"
    "\"\\u2581\":2,\"a\":3,\"b\":4,\"\\u2581a\":5},\"merges\":[\"\\u2581 a\"]}}",
    "{\"added_tokens\":[],\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":"
    "\"CAAAAAAEAAAAAAAAIAA=\"},\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{"
    "\"type\":"
    "\"WhitespaceSplit\"},{\"type\":\"Metaspace\",\"replacement\":\"\\u2581\",\"prepend_"
    "scheme\":"
    "\"always\"}]},\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":false,"
    "\"vocab\":["
    "[\"<unk>\",0],[\"\\u2581\",-2.5],[\"a\",-3],[\"\\u2581ab\",-1e1],[\"b\",-3.5]]}}",
    "{\"added_tokens\":[{\"id\":2,\"content\":\"[CLS]\",\"special\":true}],\"normalizer\":{"
    "\"type\":\"BertNormalizer\",\"clean_text\":true,\"strip_accents\":null,\"lowercase\":true}"
    ","
    "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},\"post_processor\":{\"type\":"
    "\"BertProcessing\"},\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\","
    "\"continuing_subword_prefix\":\"##\",\"max_input_chars_per_word\":100,\"vocab\":{"
    "\"[PAD]\":0,\"[UNK]\":1,\"[CLS]\":2,\"[SEP]\":3,\"a\":4,\"##b\":5,\"##\":6}}}",
    "{\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Digits\","
    "\"individual_digits\":true},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
    "\"use_regex\":true}]},\"model\":{\"vocab\":{\"a\":0},\"merges\":[]}}",
};

static const char *const safe_seeds[] = {
    "{\"b\":{\"dtype\":\"U8\",\"shape\":[2,3],\"data_offsets\":[2,8]},\"__metadata__\":{"
    "\"format\":"
    "\"pt\"},\"a\":{\"dtype\":\"I16\",\"shape\":[],\"data_offsets\":[0,2]}}",
    "{\"w\":{\"dtype\":\"F8_E4M3\",\"shape\":[2,2,1,1],\"data_offsets\":[0,4]},\"x\":{"
    "\"dtype\":"
    "\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
};

#define NAME "X\1\0\0\0w"
#define BYTES_OF(text) \
    { text, sizeof(text) - 1 }

static const struct {
    const char *bytes;
    size_t size;
} pickle_seeds[] = {
    BYTES_OF("\x80\2}" NAME TENSOR("\0", "K\2K\3\x86", "K\3K\1\x86") "s."),
    BYTES_OF("\x80\2ccollections\nOrderedDict\nq\0)Rq\1(X\1\0\0\0uq\2" TENSOR(
        "\3", "K\3\x85q\3", "K\1\x85") "X\1\0\0\0v" TENSOR("\0", ")",
                                                           ")") "u}q\4X\1\0\0\0m}sb."),
    BYTES_OF("\x80\4\x95\0\0\0\0\0\0\0\0\x8c\x0b"
             "collections\x94\x8c\x0bOrderedDict\x94\x93\x94)R\x94."),
    BYTES_OF("]q\0(h\0NG\0\0\0\0\0\0\0\0\x8a\2\1\2e."),
};

static void put_field(int number, int kind, const void *bytes, size_t size) {
    unsigned char head[2] = {(unsigned char)(number << 3 | kind), (unsigned char)size};
    put(head, kind == 2 ? 2 : 1);
    put(bytes, size);
}

static void begin_model(void) {
    static const struct {
        const char *text;
        float score;
        unsigned char type;
    } pieces[] = {{"<unk>", 0, 2},         {"<s>", 0, 3}, {"a", -1, 1},    {"b", -2, 1},
                  {"\xE2\x96\x81", -3, 1}, {"ab", -4, 1}, {"<0x0A>", 0, 6}};
    size_t unigram = below(2);
    for (size_t i = 0; i + unigram < COUNT(pieces); i++) {
        unsigned char piece[40], *at = piece;
        size_t n = strlen(pieces[i].text);
        *at++ = 10, *at++ = (unsigned char)n;
        memcpy(at, pieces[i].text, n), at += n;
        *at++ = 21, memcpy(at, &pieces[i].score, 4), at += 4;
        *at++ = 24, *at++ = pieces[i].type;
        put_field(1, 2, piece, (size_t)(at - piece));
    }
    put_field(2, 2, unigram ? "\x18\1" : "\x18\2", 2);
    put_field(3, 2, unigram ? "\x12\0\x18\1\x20\1" : "\x18\1\x20\0", unigram ? 6 : 4);
}

/* ------------------------------------------------------------------ damage */

static const char bad_words[] =
    "{ } [ ] , : null true -1 1e999 99999999999999999999 \"\" \"a\" \\u0000 "
    "\\ud800 \xC3 4294967295 38 \"id\": \"vocab\": \"merges\": \"type\":\"BPE\" "
    "\"type\":\"Unigram\" \"special\":true PK\1\2 PK\6\7 PK\6\6 } ( ) R Q t e u s "
    "b q\1 h\1 \x94 \x93 cos\nsystem\n \x8a\x09 X\xff\xff\xff\x7f .";

static void write_number(size_t at) {
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      0x7f,
                                      0x80,
                                      0xff,
                                      0xffff,
                                      0x7fffffff,
                                      0xffffffff,
                                      (uint64_t)1 << 32,
                                      (uint64_t)1 << 62,
                                      UINT64_MAX};
    uint64_t value = values[below(COUNT(values))];
    size_t size = (size_t)1 << below(4);
    for (size_t i = 0; i < size && at + i < f.size; i++)
        f.bytes[at + i] = (unsigned char)(value >> (8 * i));
}

/* ------------------------------------------------------------------ a case */

static void mangle_often(void) {
    for (size_t n = below(4); n > 0; n--)
        if (below(6))
            mangle(bad_words, text_of(json_seeds[below(COUNT(json_seeds))]));
        else
            write_number(below(f.size));
}

/* The header is mangled before its size is known, or the whole after. */
static void make_safetensors(void) {
    const char *text = safe_seeds[below(COUNT(safe_seeds))];
    bool inside = below(2);
    put(text, strlen(text));
    if (inside) mangle_often();
    uint64_t size = f.size;
    insert(&size, 8, 0);
    put("\0\1\2\3\4\5\6\7", 8);
    if (!inside) mangle_often();
}

/* So is the pickle. */
static void make_archive(void) {
    size_t i = below(COUNT(pickle_seeds));
    bool inside = below(2);
    put(pickle_seeds[i].bytes, pickle_seeds[i].size);
    if (inside) mangle_often();
    Made m = made_archive(f.bytes, f.size);
    made_finish(&m);
    f.size = 0;
    put(m.bytes, m.size);
    if (!inside) mangle_often();
}

static void make_case(size_t kind) {
    const char *text = json_seeds[below(COUNT(json_seeds))];
    f.size = 0;
    if (kind == 0) return make_safetensors();
    if (kind == 1) return make_archive();
    if (kind == 2)
        put(text, strlen(text));
    else
        begin_model();
    mangle_often();
}

static void touch(const SafeTensor *tensors, size_t count) {
    float number;
    for (size_t i = 0; i < count; i++) {
        size_t n = tensors[i].bytes / safe_type_bytes(tensors[i].type);
        if (n) safe_numbers(&tensors[i], 0, &number, 1);
        if (n) safe_numbers(&tensors[i], n - 1, &number, 1);
        if (tensors[i].ndim < 0 || tensors[i].ndim > SAFE_MAX_DIMS) fail("dimensions");
    }
}

static bool try_safetensors(const void *bytes, size_t size, Fault *fault) {
    Safetensors s;
    if (!safetensors_parse(&s, bytes, size, fault)) return false;
    touch(s.tensors, s.n_tensors);
    safetensors_free(&s);
    return true;
}

static bool try_pytorch(const void *bytes, size_t size, Fault *fault) {
    Pytorch p;
    if (!pytorch_parse(&p, bytes, size, fault)) return false;
    touch(p.tensors, p.n_tensors);
    pytorch_free(&p);
    return true;
}

/* A vocabulary that was taken: does it open, and make tokens of a text? */
static bool open_words(GgufWriter *writer, Fault *fault) {
    unsigned char *bytes;
    size_t size;
    Gguf gguf;
    TokenList list = {0};
    if (!gguf_write_memory(writer, &bytes, &size, fault)) return false;
    if (!gguf_parse(&gguf, bytes, size, fault))
        printf("%s: ", fault->text), fail("what was written is no GGUF");
    Tokenizer *t = tokenizer_open(&gguf, fault);
    if (t) tokenizer_encode(t, text_of("a ab  b\n\xC3\xA9<s>"), true, &list, NULL);
    for (size_t i = 0; i < list.count; i++) tokenizer_piece(t, list.ids[i], true);
    bool ok = t != NULL;
    tokenizer_close(t);
    token_list_free(&list), gguf_free(&gguf), free(bytes);
    return ok;
}

static bool try_words(const void *bytes, size_t size, bool json, Fault *fault) {
    static const Convert how;
    static const ConvertFamily family = {.classes = "x", .arch = "llama"};
    FileMap map = {.data = bytes, .size = size};
    Conversion c = {
        .how = &how, .family = &family, .folder.path = "/nowhere/at/all", .fault = fault};
    Json *tree = json ? json_read((Text){bytes, size}, fault) : NULL;
    const JsonValue *root = tree ? json_root(tree) : NULL;
    Vocab v = {0};
    if (json && !tree) return false;
    c.writer = gguf_writer_open(fault);
    bool ok = vocab_init(&v, VOCAB, fault) &&
              (json ? read_tokenizer_json(&c, &v, root) : read_tokenizer_model(&c, &v, &map)) &&
              put_vocab(&c, &v, root) && open_words(c.writer, fault);
    vocab_free(&v), gguf_writer_close(c.writer), json_free(tree);
    return ok;
}

static void late(int signal_number) {
    (void)signal_number;
    fail("more than ten seconds of the processor");
}

static void run_case(size_t number) {
    size_t kind = number % KINDS;
    Fault fault = {""};
    begin_case(number);
    make_case(kind);
    unsigned char *exact = malloc(f.size + !f.size); /* what is read beyond it is noticed */
    memcpy(exact, f.bytes, f.size);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = SECONDS}}, NULL);
    bool ok = kind == 0   ? try_safetensors(exact, f.size, &fault)
              : kind == 1 ? try_pytorch(exact, f.size, &fault)
                          : try_words(exact, f.size, kind == 2, &fault);
    free(exact);
    if (!ok && !fault.text[0]) fail("refused without a word");
    if (!ok && strstr(fault.text, "no memory"))
        printf("%s: ", fault.text), fail("too much memory");
    (ok ? taken : refused)[kind]++;
}

int main(int argc, char **argv) {
    static const char *const names[KINDS] = {"safetensors", "PyTorch's", "tokenizer.json",
                                             "tokenizer.model"};
    size_t cases = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000,
           from = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    signal(SIGPROF, late);
    for (size_t i = 0; i < cases; i++) run_case(from + i);
    for (size_t k = 0; k < KINDS; k++)
        printf("%s: %zu read, %zu refused\n", names[k], taken[k], refused[k]);
    return 0;
}
