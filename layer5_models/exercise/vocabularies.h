/* vocabularies.h - five vocabularies of one size, learned from one text: stories of Tiny World.
 *
 *     bytes       pairs of bytes, merged in the order in which they were learned     (GPT-2)
 *     scores      the same strings, merged by score; else bytes                 (SentencePiece)
 *     unigram     strings with probabilities, the best path                          (T5)
 *     wordpiece   lower case, no accents, the longest piece from the left            (BERT)
 *     longest     the strings of `bytes`, the longest one first                      (RWKV)
 *
 * Each becomes a file, build/words-NAME.gguf, which holds nothing else. */
#ifndef STRATA_VOCABULARIES_H
#define STRATA_VOCABULARIES_H

#include "../src/tokenizer/bpe_train.h"
#include "../src/vocab/escape.h"
#include "charsmap_write.h"
#include "models.h"
#include "unicode.h"
#include "worked.h"

#include <ctype.h>
#include <math.h>

enum { VOCAB = 1000, STORIES = 400, MOST_STRINGS = 5000, LONGEST_STRING = 12 };

static inline void must(bool ok, const Fault *fault) {
    if (!ok) worked_fails(fault->text);
}

/* ---------------------------------------------- words, and how often they stand there */

typedef struct Counted {
    Text text;
    uint64_t count;
} Counted;

typedef struct CountList {
    Counted *rows; /* (count) */
    size_t count, room;
} CountList;

static inline void count_add(CountList *list, Text text, uint64_t times) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->rows = realloc(list->rows, list->room * sizeof *list->rows);
        if (!list->rows) worked_fails("no memory");
    }
    list->rows[list->count++] = (Counted){text, times};
}

static inline int by_text(const void *a, const void *b) {
    Text x = ((const Counted *)a)->text, y = ((const Counted *)b)->text;
    int order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
    return order ? order : (x.size > y.size) - (x.size < y.size);
}

static inline int by_count(const void *a, const void *b) {
    uint64_t x = ((const Counted *)a)->count, y = ((const Counted *)b)->count;
    return x != y ? (x < y) - (x > y) : by_text(a, b);
}

/* Equal ones become one row. */
static inline void count_together(CountList *list) {
    size_t to = 0;
    qsort(list->rows, list->count, sizeof *list->rows, by_text);
    for (size_t i = 0; i < list->count; i++)
        if (to && text_equal(list->rows[to - 1].text, list->rows[i].text))
            list->rows[to - 1].count += list->rows[i].count;
        else
            list->rows[to++] = list->rows[i];
    list->count = to;
}

/* Letters with the space in front are a word, and so is any other character. */
static inline CountList words_in(Text text) {
    CountList words = {0};
    for (size_t at = 0, end; at < text.size; at = end) {
        bool space = text.data[at] == ' ' && at + 1 < text.size;
        end = at + 1 + (space && isalpha((unsigned char)text.data[at + 1]));
        while (isalpha((unsigned char)text.data[end - 1]) && end < text.size &&
               isalpha((unsigned char)text.data[end]))
            end++;
        count_add(&words, (Text){text.data + at, end - at}, 1);
    }
    count_together(&words);
    return words;
}

/* ------------------------------------------------ a vocabulary on its way into a file */

typedef struct Draft {
    Text names[MOST_STRINGS];
    int64_t types[MOST_STRINGS];
    double scores[MOST_STRINGS];
    size_t count, used;
    char bytes[MOST_STRINGS * 4 * LONGEST_STRING];
} Draft;

static inline void draft_add(Draft *d, Text name, int type, double score) {
    if (d->count == MOST_STRINGS || name.size > sizeof d->bytes - d->used)
        worked_fails("a vocabulary grew too large");
    memcpy(d->bytes + d->used, name.data, name.size);
    d->names[d->count] = (Text){d->bytes + d->used, name.size};
    d->types[d->count] = type, d->scores[d->count++] = score;
    d->used += name.size;
}

/* The same, with U+2581 for spaces. */
static inline void draft_add_spaced(Draft *d, Text text, int type, double score) {
    char name[3 * 64];
    if (text.size > 64) worked_fails("a string of a vocabulary is too long");
    draft_add(d, (Text){name, escape_spaces(text, name)}, type, score);
}

static inline GgufWriter *draft_file(const Draft *d, const char *kind) {
    Fault fault;
    GgufWriter *w = gguf_writer_open(&fault);
    must(w, &fault);
    gguf_put_string(w, "tokenizer.ggml.model", text_of(kind));
    gguf_put_strings(w, "tokenizer.ggml.tokens", d->names, d->count);
    gguf_put_ints(w, "tokenizer.ggml.token_type", GGUF_I32, d->types, d->count);
    gguf_put_floats(w, "tokenizer.ggml.scores", GGUF_F32, d->scores, d->count);
    return w;
}

/* Opened; closes the writer.  With a name it is written as a file, too. */
static inline Tokenizer *opened(GgufWriter *w, const char *name) {
    Fault fault;
    unsigned char *bytes;
    size_t size;
    Gguf gguf;
    char path[64];
    snprintf(path, sizeof path, "build/words-%s.gguf", name ? name : "");
    if (name) must(gguf_write_file(w, path, &fault), &fault);
    must(gguf_write_memory(w, &bytes, &size, &fault) && gguf_parse(&gguf, bytes, size, &fault),
         &fault);
    Tokenizer *t = tokenizer_open(&gguf, &fault);
    must(t, &fault);
    gguf_writer_close(w), gguf_free(&gguf), free(bytes);
    return t;
}

/* ------------------------------------------------------------------ the five */

static inline Tokenizer *learn_bytes(Text text) {
    const char *const specials[] = {"<|endoftext|>"};
    Fault fault;
    GgufWriter *w = gguf_writer_open(&fault);
    must(w && bpe_train(&text, 1, specials, 1, VOCAB, w, &fault), &fault);
    return opened(w, "bytes");
}

/* Letters, the bytes, and as many of the merged strings as there is room for: a rank with a
 * minus is a score. */
static inline Tokenizer *learn_scores(const Tokenizer *bytes, const CountList *words) {
    static Draft d;
    bool seen[256] = {false};
    draft_add(&d, text_of("<unk>"), TOKEN_UNKNOWN, 0);
    draft_add(&d, text_of("<s>"), TOKEN_CONTROL, 0);
    draft_add(&d, text_of("</s>"), TOKEN_CONTROL, 0);
    for (int b = 0; b < 256; b++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", b);
        draft_add(&d, text_of(name), TOKEN_BYTE, 0);
    }
    for (size_t i = 0; i < words->count; i++)
        for (size_t k = 0; k < words->rows[i].text.size; k++) {
            unsigned char letter = (unsigned char)words->rows[i].text.data[k];
            if (!seen[letter])
                draft_add_spaced(&d, (Text){words->rows[i].text.data + k, 1}, TOKEN_NORMAL,
                                 -VOCAB);
            seen[letter] = true;
        }
    for (int32_t id = 257; d.count < VOCAB; id++)
        draft_add_spaced(&d, tokenizer_piece(bytes, id, false), TOKEN_NORMAL, 257 - id);
    return opened(draft_file(&d, "llama"), "scores");
}

/* The strings of `bytes`, as RWKV's files write them. */
static inline Tokenizer *learn_longest(const Tokenizer *bytes) {
    static Draft d;
    for (int32_t id = 0; id < VOCAB; id++) {
        Text piece = tokenizer_piece(bytes, id, true);
        char name[4 * 64];
        size_t size = 0;
        for (size_t i = 0; i < piece.size && i < 64; i++) {
            unsigned char c = (unsigned char)piece.data[i];
            if (c < ' ' || c > '~' || c == '\\')
                size += (size_t)snprintf(name + size, 5, "\\x%02x", c);
            else
                name[size++] = (char)c;
        }
        draft_add(&d, (Text){name, size}, id ? TOKEN_NORMAL : TOKEN_CONTROL, 0);
    }
    return opened(draft_file(&d, "rwkv"), "longest");
}

/* How often the best cut of all words uses each of the strings. */
static inline uint64_t count_uses(CountList *strings, const CountList *words, Draft *d,
                                  uint64_t all) {
    Fault fault;
    TokenList tokens = {0};
    uint64_t total = 0;
    d->count = d->used = 0;
    draft_add(d, text_of("<pad>"), TOKEN_CONTROL, 0);
    draft_add(d, text_of("</s>"), TOKEN_CONTROL, 0);
    draft_add(d, text_of("<unk>"), TOKEN_UNKNOWN, 0);
    for (size_t i = 0; i < strings->count; i++) {
        double share = ((double)strings->rows[i].count + 0.5) / (double)all;
        draft_add_spaced(d, strings->rows[i].text, TOKEN_NORMAL, log(share));
        strings->rows[i].count = 0;
    }
    Tokenizer *t = opened(draft_file(d, "t5"), NULL);
    for (size_t i = 0; i < words->count; i++) {
        tokens.count = 0;
        must(tokenizer_encode(t, words->rows[i].text, false, &tokens, &fault), &fault);
        for (size_t k = 0; k < tokens.count; k++)
            if (tokens.ids[k] > 2)
                strings->rows[tokens.ids[k] - 3].count += words->rows[i].count;
        total += tokens.count * words->rows[i].count;
    }
    token_list_free(&tokens), tokenizer_close(t);
    return total;
}

/* The commonest `most` of the strings; single letters stay, whatever they are used for. */
static inline void keep_commonest(CountList *strings, size_t most) {
    size_t letters = 0;
    for (size_t i = 0; i < strings->count; i++)
        if (strings->rows[i].text.size == 1) {
            Counted row = strings->rows[letters];
            strings->rows[letters++] = strings->rows[i], strings->rows[i] = row;
        }
    qsort(strings->rows + letters, strings->count - letters, sizeof *strings->rows, by_count);
    if (strings->count > most) strings->count = most;
}

/* All strings of the words at first; in each round a fifth of them goes, those least used.
 * (Kudo asks instead how much less likely the text is without each.) */
static inline Tokenizer *learn_unigram(const CountList *words) {
    static Draft d;
    CountList strings = {0};
    for (size_t i = 0; i < words->count; i++)
        for (size_t from = 0; from < words->rows[i].text.size; from++)
            for (size_t n = 1; n <= LONGEST_STRING && from + n <= words->rows[i].text.size; n++)
                count_add(&strings, (Text){words->rows[i].text.data + from, n},
                          words->rows[i].count);
    count_together(&strings);
    keep_commonest(&strings, MOST_STRINGS - 3);
    uint64_t all = 0;
    for (size_t i = 0; i < strings.count; i++) all += strings.rows[i].count;
    while (strings.count > VOCAB - 3) {
        all = count_uses(&strings, words, &d, all);
        size_t fewer = strings.count * 4 / 5;
        keep_commonest(&strings, fewer > VOCAB - 3 ? fewer : VOCAB - 3);
    }
    count_uses(&strings, words, &d, all);
    GgufWriter *w = draft_file(&d, "t5");
    int64_t map[CHARSMAP_MOST];
    gguf_put_ints(w, "tokenizer.ggml.precompiled_charsmap", GGUF_U8, map, plain_forms(map));
    gguf_put_int(w, "tokenizer.ggml.add_space_prefix", GGUF_BOOL, 1);
    gguf_put_int(w, "tokenizer.ggml.remove_extra_whitespaces", GGUF_BOOL, 1);
    free(strings.rows);
    return opened(w, "unigram");
}

/* Symbols of WordPiece: a letter as it is, 128 more where it begins a word. */
static inline void spell(WordCount *words, const CountList *from, bool seen[256]) {
    for (size_t i = 0; i < from->count; i++) {
        Text text = from->rows[i].text;
        if (text.data[0] == ' ') text = (Text){text.data + 1, text.size - 1};
        words[i] = (WordCount){text, from->rows[i].count, NULL, 0};
        if (!text.size || isspace((unsigned char)text.data[0])) continue;
        words[i].n = text.size;
        words[i].symbols = calloc(text.size, sizeof *words[i].symbols);
        if (!words[i].symbols) worked_fails("no memory");
        for (size_t k = 0; k < text.size; k++) {
            words[i].symbols[k] = tolower((unsigned char)text.data[k]) + (k ? 0 : 128);
            seen[words[i].symbols[k]] = true;
        }
    }
}

static inline Tokenizer *learn_wordpiece(const CountList *words) {
    static Draft d;
    static char letters[256][4];
    static Text symbols[256 + VOCAB];
    static int32_t merges[VOCAB][2];
    static PairCount pairs[1 << 16];
    const char *const specials[] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
    bool seen[256] = {false};
    Fault fault;
    WordCount *spelled = calloc(words->count, sizeof *spelled);
    if (!spelled) worked_fails("no memory");
    spell(spelled, words, seen);
    for (int i = 0; i < 4; i++)
        draft_add(&d, text_of(specials[i]), i == 1 ? TOKEN_UNKNOWN : TOKEN_CONTROL, 0);
    for (int i = 0; i < 256; i++) {
        snprintf(letters[i], 4, "%s", i < 128 ? "" : "\xE2\x96\x81");
        symbols[i] = (Text){letters[i], strlen(letters[i]) + 1};
        letters[i][symbols[i].size - 1] = (char)(i & 127);
        if (seen[i]) draft_add(&d, symbols[i], TOKEN_NORMAL, 0);
    }
    BpeTrainer t = {spelled, words->count,          words->count, symbols, merges,
                    256,     256 + VOCAB - d.count, pairs,        1 << 16, true};
    must(bpe_learn(&t, &fault), &fault);
    for (size_t i = 256; i < t.n_symbols; i++) draft_add(&d, symbols[i], TOKEN_NORMAL, 0);
    GgufWriter *w = draft_file(&d, "bert");
    gguf_put_int(w, "tokenizer.ggml.unknown_token_id", GGUF_U32, 1);
    gguf_put_int(w, "tokenizer.ggml.cls_token_id", GGUF_U32, 2);
    gguf_put_int(w, "tokenizer.ggml.seperator_token_id", GGUF_U32, 3);
    for (size_t i = 0; i < words->count; i++) free(spelled[i].symbols);
    for (size_t i = 256; i < t.n_symbols; i++) free((char *)symbols[i].data);
    free(spelled);
    return opened(w, "wordpiece");
}

#endif
