/* fuzz_mask.c - masks beside a recogniser that tries everything: fuzz_mask [CASES [FIRST]]
 *
 * A case is a grammar that is made up, a vocabulary of one of three shapes, a text of the grammar and a cut of it into
 * tokens.  After each token the mask must say of every token of the vocabulary what the recogniser says, and at the end
 * that the text may end: so every text is reached token by token, too.
 *
 * The recogniser shares nothing with the engine: it reads the grammar as it was made up, not as it is written down, and
 * finds for each part and each place in a text where the part can end, over and over until nothing changes.
 *
 * Case N is the same on every machine: `fuzz_mask 1 N` runs it alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inference.h"
#include "grammar.h"

enum { PARTS = 48, RULES = 3, CHARACTERS = 5, PIECES = 60, LONGEST = 40, REACH = LONGEST + 16 };

typedef enum PieceKind { SET, CAT, ALT, REPEAT, CALL, NOTHING } PieceKind;

/* A part of a grammar; parts below it have smaller numbers. */
typedef struct Part {
    PieceKind kind;
    unsigned set;  /* bits of characters */
    int a, b;      /* parts; of a call: the rule */
    int low, high; /* high: -1 without end */
} Part;

static const char *const characters[CHARACTERS] = {"a", "b", " ", "\xC3\xA9", "\xEF\xBF\xBD"};
static const int character_size[CHARACTERS] = {1, 1, 1, 2, 3};

typedef enum Shape { GPT2, SENTENCEPIECE, BYTES, SHAPES } Shape;

static struct {
    size_t number;
    Rng rng;
    Part part[PARTS];
    int n_parts, rule[RULES];
    char source[8000], text[LONGEST + 1];
    char piece[PIECES][8];
    int n_pieces;
    size_t masks, texts, empty;
    bool allowed[PIECES]; /* as the recogniser has it, after the text so far */
    /* of the recogniser, for a text of `size` bytes */
    unsigned stands[REACH], begins[REACH]; /* bits of characters */
    uint64_t ends[PARTS][REACH];           /* bit: the part can reach from here to there */
    bool open[PARTS][REACH];               /* the rest of the text begins a text of the part */
} f;

static _Noreturn void fail(const char *what, const char *detail) {
    printf("case %zu: %s, after '%s' and '%s', in\n%s\n", f.number, what, f.text, detail,
           f.source);
    exit(1);
}

static int below(int n) { return (int)rng_below(&f.rng, (uint64_t)n); }

/* ------------------------------------------------------------------ a grammar */

static int new_part(Part part) {
    f.part[f.n_parts] = part;
    return f.n_parts++;
}

static int make_part(int depth) {
    int kind = depth == 0 || f.n_parts > PARTS - 16 ? 0 : below(9);
    if (kind < 3) /* half of the sets are of ASCII alone */
        return new_part((Part){.kind = SET, .set = 1 + (unsigned)below(below(2) ? 31 : 7)});
    if (kind == 3) return new_part((Part){.kind = CALL, .a = below(RULES)});
    if (kind == 4) return new_part((Part){.kind = NOTHING});
    int a = make_part(depth - 1);
    if (kind == 5) {
        int low = below(4), high = below(3) ? low + below(3) : -1;
        return new_part(
            (Part){.kind = REPEAT, .a = a, .low = low, .high = high == 0 ? 1 : high});
    }
    int b = make_part(depth - 1);
    return new_part((Part){.kind = kind == 6 ? ALT : CAT, .a = a, .b = b});
}

static void write_part(char **out, int number) {
    const Part *p = &f.part[number];
    switch (p->kind) {
    case SET:
        *out += sprintf(*out, "[");
        for (int c = 0; c < CHARACTERS; c++)
            if (p->set >> c & 1) *out += sprintf(*out, "%s", characters[c]);
        *out += sprintf(*out, "]");
        return;
    case CALL: *out += sprintf(*out, "r%d", p->a); return;
    case NOTHING: *out += sprintf(*out, "\"\""); return;
    case REPEAT:
        *out += sprintf(*out, "("), write_part(out, p->a);
        *out += p->high < 0 ? sprintf(*out, "){%d,}", p->low)
                            : sprintf(*out, "){%d,%d}", p->low, p->high);
        return;
    case CAT:
    case ALT:
        *out += sprintf(*out, "("), write_part(out, p->a);
        *out += sprintf(*out, p->kind == ALT ? " | " : " "), write_part(out, p->b);
        *out += sprintf(*out, ")");
    }
}

static void make_grammar(void) {
    char *out = f.source;
    f.n_parts = 0;
    for (int r = 0; r < RULES; r++) f.rule[r] = make_part(3);
    out += sprintf(out, "root ::= r0\n");
    for (int r = 0; r < RULES; r++) {
        out += sprintf(out, "r%d ::= ", r), write_part(&out, f.rule[r]);
        out += sprintf(out, "\n");
    }
}

/* ------------------------------------------------------------------ the recogniser */

/* Which characters stand at each place of the text, and of which ones its end is a beginning. */
static void find_characters(const char *text, int size) {
    for (int at = 0; at <= size; at++) {
        f.stands[at] = f.begins[at] = 0;
        for (int c = 0; c < CHARACTERS; c++) {
            int n = character_size[c], rest = size - at;
            if (memcmp(text + at, characters[c], (size_t)(n < rest ? n : rest)) != 0) continue;
            if (n <= rest) f.stands[at] |= 1 << c;
            if (n >= rest) f.begins[at] |= 1 << c;
        }
    }
}

/* What a set does with the text from here on. */
static void try_set(const Part *p, int at, uint64_t *ends, bool *open) {
    for (int c = 0; c < CHARACTERS; c++)
        if (p->set & f.stands[at] & 1 << c) *ends |= (uint64_t)1 << (at + character_size[c]);
    if (p->set & f.begins[at]) *open = true;
}

/* One round more for all places that are reached. */
static uint64_t go_on(int part, uint64_t from, bool *open) {
    uint64_t to = 0;
    for (; from; from &= from - 1) {
        int at = __builtin_ctzll(from);
        to |= f.ends[part][at], *open |= f.open[part][at];
    }
    return to;
}

static void try_repeat(const Part *p, int size, int at, uint64_t *ends, bool *open) {
    uint64_t here = (uint64_t)1 << at, reached = 0; /* reached: with rounds to spare */
    for (int round = 0; here; round++) {
        if (round >= p->low) {
            if (!(here & ~reached)) return;
            reached |= here, *ends |= here, *open |= here >> size & 1;
        }
        if (round == p->high) return;
        here = go_on(p->a, here, open);
    }
}

/* What a part can do, by what is known of the others so far.  open[part][size]: it has a text at all. */
static void try_part(int number, int size, int at, uint64_t *ends, bool *open) {
    const Part *p = &f.part[number];
    bool begun = false;
    switch (p->kind) {
    case SET: try_set(p, at, ends, open); return;
    case NOTHING: *ends |= (uint64_t)1 << at, *open |= at == size; return;
    case CALL: *ends |= f.ends[f.rule[p->a]][at], *open |= f.open[f.rule[p->a]][at]; return;
    case REPEAT: try_repeat(p, size, at, ends, open); return;
    case ALT:
        *ends |= f.ends[p->a][at] | f.ends[p->b][at],
            *open |= f.open[p->a][at] || f.open[p->b][at];
        return;
    case CAT:
        *ends |= go_on(p->b, go_on(p->a, (uint64_t)1 << at, &begun), open);
        *open |= begun && f.open[p->b][size];
    }
}

/* Does a text begin one of the grammar (*is_whole: or is it one)? */
static bool begins_text(const char *text, int size, bool *is_whole) {
    const size_t parts = (size_t)f.n_parts;
    memset(f.ends, 0, parts * sizeof *f.ends), memset(f.open, 0, parts * sizeof *f.open);
    find_characters(text, size);
    for (bool changed = true; changed;) {
        changed = false;
        for (int p = 0; p < f.n_parts; p++)
            for (int at = size; at >= 0; at--) {
                uint64_t ends = f.ends[p][at];
                bool open = f.open[p][at];
                try_part(p, size, at, &ends, &open);
                changed = changed || ends != f.ends[p][at] || open != f.open[p][at];
                f.ends[p][at] = ends, f.open[p][at] = open;
            }
    }
    *is_whole = f.ends[f.rule[0]][0] >> size & 1;
    return f.open[f.rule[0]][0];
}

/* ------------------------------------------------------------------ a vocabulary */

/* The name by which a file writes a piece. */
static size_t write_name(Shape shape, const char *piece, char *out) {
    char *begin = out;
    bool byte = shape == SENTENCEPIECE && piece[1] == 0 && (uint8_t)piece[0] >= 128;
    if (byte) return (size_t)sprintf(out, "<0x%02X>", (uint8_t)piece[0]);
    for (; *piece; piece++) {
        unsigned b = (uint8_t)*piece;
        if (b == ' ')
            out += sprintf(out, "%s", shape == SENTENCEPIECE ? "\xE2\x96\x81" : "\xC4\xA0");
        else if (shape == SENTENCEPIECE || b < 128)
            *out++ = (char)b;
        else
            *out++ = (char)(0xC0 | b >> 6), *out++ = (char)(0x80 | (b & 63));
    }
    return (size_t)(out - begin);
}

/* Each byte of the characters, then tokens of several: whole characters, and in GPT-2's shape parts of them. */
static void make_pieces(Shape shape) {
    static const char bytes[] = "ab \xC3\xA9\xEF\xBF\xBD";
    f.n_pieces = 1; /* 0 ends a text */
    for (size_t i = 0; i < sizeof bytes - 1; i++)
        sprintf(f.piece[f.n_pieces++], "%c", bytes[i]);
    if (shape == BYTES) return;
    while (f.n_pieces < PIECES) {
        char *out = f.piece[f.n_pieces++];
        int count = 1 + below(shape == GPT2 ? 5 : 2);
        for (*out = 0; count > 0; count--)
            if (shape == GPT2)
                out += sprintf(out, "%c", bytes[below(sizeof bytes - 1)]);
            else
                out += sprintf(out, "%s", characters[below(CHARACTERS)]);
    }
}

static Tokenizer *make_words(Shape shape) {
    static char names[PIECES][24];
    Text texts[PIECES];
    int64_t types[PIECES];
    double scores[PIECES] = {0};
    Gguf gguf;
    Fault fault;
    unsigned char *bytes;
    size_t size;
    make_pieces(shape);
    texts[0] = text_of("<end>"), types[0] = 3;
    for (int i = 1; i < f.n_pieces; i++) {
        texts[i] = (Text){names[i], write_name(shape, f.piece[i], names[i])};
        types[i] = names[i][0] == '<' ? 6 : 1;
    }
    GgufWriter *w = gguf_writer_open(&fault);
    size_t n = (size_t)f.n_pieces;
    gguf_put_string(w, "tokenizer.ggml.model",
                    text_of(shape == SENTENCEPIECE ? "llama" : "gpt2"));
    gguf_put_strings(w, "tokenizer.ggml.tokens", texts, n);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, types, n);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, scores, n);
    gguf_put_strings(w, "tokenizer.ggml.merges", NULL, 0);
    gguf_put_int(w, "tokenizer.ggml.eos_token_id", GGUF_U32, 0);
    gguf_put_int(w, "tokenizer.ggml.bos_token_id", GGUF_U32, 0);
    if (!gguf_write_memory(w, &bytes, &size, &fault) || !gguf_parse(&gguf, bytes, size, &fault))
        exit(2);
    gguf_writer_close(w);
    Tokenizer *words = tokenizer_open(&gguf, &fault);
    gguf_free(&gguf), free(bytes);
    if (!words) fail(fault.text, "");
    for (int i = 1; i < f.n_pieces; i++)
        if (!text_equal(tokenizer_piece(words, i, false), text_of(f.piece[i])))
            fail("a token reads otherwise", f.piece[i]);
    return words;
}

/* ------------------------------------------------------------------ a case */

/* The mask of a row beside the recogniser, which tests the text so far with each token. */
static void check_mask(Grammar *g, uint32_t row) {
    size_t words, length = strlen(f.text);
    char longer[LONGEST + 16];
    bool ignored;
    const uint64_t *mask = grammar_mask(g, row, &words);
    begins_text(f.text, (int)length, &f.allowed[0]);
    memcpy(longer, f.text, length);
    for (int id = 1; id < f.n_pieces; id++) {
        size_t size = strlen(f.piece[id]);
        memcpy(longer + length, f.piece[id], size);
        f.allowed[id] = begins_text(longer, (int)(length + size), &ignored);
    }
    for (int id = 0; id < f.n_pieces; id++)
        if ((mask[id / 64] >> (id % 64) & 1) != f.allowed[id])
            fail(f.allowed[id] ? "not allowed" : "allowed", id ? f.piece[id] : "the end");
    f.masks++;
}

/* A token that goes on, by the recogniser; 0: the text may end and shall. */
static int choose(void) {
    int ways[PIECES], n = 0;
    if (f.allowed[0] && below(4) == 0) return 0;
    for (int id = 1; id < f.n_pieces; id++)
        if (f.allowed[id]) ways[n++] = id;
    if (n == 0 && !f.allowed[0]) fail("no way on", "");
    return n ? ways[below(n)] : 0;
}

/* From token to token to the end of a text, or as far as there is room. */
static void walk(Grammar *g) {
    uint32_t row = grammar_begin(g);
    for (int id = 1; id > 0;) {
        check_mask(g, row);
        if (strlen(f.text) > LONGEST - 8) return;
        if ((id = choose()) == 0) break;
        if ((row = grammar_take(g, row, id)) == GRAMMAR_DEAD) fail("not taken", f.piece[id]);
        strcpy(f.text + strlen(f.text), f.piece[id]);
    }
    if (!grammar_is_complete(g, row)) fail("not complete", "");
    f.texts++;
}

static void run_case(size_t number) {
    const GrammarOptions options = {.left_recursion = true};
    Fault fault = {""};
    Grammar *g = NULL;
    bool whole;
    f.number = number, f.rng = (Rng){11, number, 0}, f.text[0] = 0;
    make_grammar();
    if (!begins_text("", 0, &whole)) {
        f.empty++;
        if (grammar_from_gbnf(&g, text_of(f.source), &options, &fault))
            fail("a grammar without texts is taken", "");
        return;
    }
    if (!grammar_from_gbnf(&g, text_of(f.source), &options, &fault)) fail(fault.text, "");
    Tokenizer *words = make_words((Shape)(number % SHAPES));
    if (!grammar_bind(g, words, &fault)) fail(fault.text, "");
    walk(g);
    grammar_close(g), tokenizer_close(words);
}

int main(int argc, char **argv) {
    size_t masks = argc > 1 ? strtoul(argv[1], NULL, 10) : 3000,
           first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, n = first;
    do run_case(n++);
    while (f.masks < masks && masks > 1);
    printf("%zu grammars (%zu without texts), %zu masks as the recogniser has them, %zu texts "
           "reached token by token\n",
           n - first, f.empty, f.masks, f.texts);
    return 0;
}
