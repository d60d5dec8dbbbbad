/* unigram.c - Unigram: of all ways to cut a text into tokens, the one with the highest sum of
 * scores (log probabilities).
 *
 *   _ h e l l o      best[6] = the best of   best[3] + score("llo")
 *   0 1 2 3 4 5 6                            best[1] + score("hello")   ...
 *
 * The best path to a position does not depend on what follows it: Viterbi's algorithm.
 *
 * Source   Kudo 2018, arXiv:1804.10959, section 3.2; Viterbi 1967 */
#include "kind_data.h"
#include "unicode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The best path to a position: its score, its last token, and where that begins. */
typedef struct Path {
    double score;
    int32_t token;
    uint32_t from;
} Path;

static bool path_room(Scratch *scratch, size_t places, Fault *fault) {
    if (places <= scratch->max_paths) return true;
    free(scratch->paths);
    scratch->max_paths = places < 256 ? 256 : places;
    scratch->paths =
        places < UINT32_MAX ? malloc(scratch->max_paths * sizeof *scratch->paths) : NULL;
    if (scratch->paths) return true;
    scratch->max_paths = 0;
    return fault_set(fault,
                     "no memory to make tokens of a piece of %zu bytes that cannot be cut: "
                     "give the text in parts",
                     places);
}

/* Replace the path to a position if the new one, whose last token begins at `from`, has a
 * higher score. */
static void improve(Path *there, double score, int32_t token, size_t from) {
    if (score > there->score) *there = (Path){score, token, (uint32_t)from};
}

/* Extend the path at `at` by every token that begins there; a character without a token is an
 * unknown one. */
static void extend_paths(const Tokenizer *t, Text word, Path *paths, size_t at, size_t size) {
    bool known = false;
    uint32_t node = 0;
    for (size_t end = at; end < word.size;) {
        node = prefix_tree_next(&kind_data(t)->words, node, (unsigned char)word.data[end++]);
        if (!node) break;
        int32_t id = kind_data(t)->words.values[node];
        if (id < 0) continue;
        double score = t->types[id] == TOKEN_USER ? 0 : t->scores[id];
        improve(&paths[end], paths[at].score + score, id, at);
        if (end == at + size) known = true;
    }
    if (!known)
        improve(&paths[at + size], paths[at].score + kind_data(t)->unknown_score, t->unknown,
                at);
}

/* The tokens of the best path, followed from its end. */
static bool walk_back(const Path *paths, size_t end, TokenList *tokens, Fault *fault) {
    size_t n = 0;
    for (size_t at = end; at > 0; at = paths[at].from) n++;
    if (!token_list_reserve(tokens, n, fault)) return false;
    tokens->count += n;
    size_t to = tokens->count;
    for (size_t at = end; at > 0; at = paths[at].from) tokens->ids[--to] = paths[at].token;
    return true;
}

/* Append the tokens of the best path through a word: extend from every position, then walk
 * back. */
bool encode_best_path(const Tokenizer *tokenizer, Text word, Scratch *scratch,
                      TokenList *tokens, Fault *fault) {
    if (!path_room(scratch, word.size + 1, fault)) return false;
    Path *paths = scratch->paths;
    for (size_t i = 0; i <= word.size; i++) paths[i] = (Path){-INFINITY, -1, 0};
    paths[0].score = 0;
    for (size_t at = 0, size; at < word.size; at += size) {
        size = utf8_length((unsigned char)word.data[at]);
        if (size > word.size - at) size = word.size - at;
        extend_paths(tokenizer, word, paths, at, size);
    }
    return walk_back(paths, word.size, tokens, fault);
}

/* ------------------------------------------------------------------ the text, written
 * plainer */

/* The normalized text. */
typedef struct Plain {
    const Tokenizer *tokenizer;
    char *text; /* (size) */
    size_t size, room;
    bool in_word;  /* the last character was not a space */
    bool prefixed; /* the leading space was written */
} Plain;

static bool plain_put(Plain *plain, const char *bytes, size_t size, Fault *fault) {
    if (!GROW(plain->text, plain->room, plain->size + size))
        return fault_set(fault, "no memory for a text of %zu bytes", plain->size);
    memcpy(plain->text + plain->size, bytes, size);
    plain->size += size;
    return true;
}

static bool plain_put_space(Plain *plain, Fault *fault) {
    return plain_put(plain, "\xE2\x96\x81", 3, fault);
}

/* Append a byte.  Merged spaces are written once, before the next word. */
static bool plain_put_byte(Plain *plain, char byte, Fault *fault) {
    const Tokenizer *t = plain->tokenizer;
    if (byte == ' ') {
        plain->in_word = false;
        return kind_data(t)->merge_spaces || plain_put_space(plain, fault);
    }
    if (!plain->in_word &&
        (kind_data(t)->merge_spaces || (t->add_space_prefix && !plain->prefixed))) {
        plain->prefixed = true;
        if (!plain_put_space(plain, fault)) return false;
    }
    plain->in_word = true;
    return plain_put(plain, &byte, 1, fault);
}

/* A user-defined token at the start of a text: its bytes; 0: none. */
static size_t user_token(const Tokenizer *t, Text text) {
    size_t size = 0;
    return t->special_begins[(unsigned char)text.data[0]] && special_at(t, text, false) >= 0
               ? (prefix_tree_longest(&t->specials, text, &size), size)
               : 0;
}

/* The normalized form of the start of a text, and how much of it was taken. */
static Text plain_form(const Tokenizer *t, Text text, size_t *taken) {
    *taken = user_token(t, text);
    if (*taken) return (Text){text.data, *taken};
    unsigned char byte = (unsigned char)text.data[0];
    bool ascii = text.size == 1 || (unsigned char)text.data[1] < 128;
    if (byte < 128 && ascii && kind_data(t)->charsmap.copies[byte])
        return *taken = 1, (Text){text.data, 1};
    Text form = charsmap_replace(&kind_data(t)->charsmap, text, taken);
    if (*taken) return form;
    uint32_t code = utf8_decode(text.data, text.size, taken);
    return code == 0xFFFD ? text_of("\xEF\xBF\xBD") : (Text){text.data, *taken};
}

static bool plain_put_text(Plain *plain, Text text, Fault *fault) {
    for (size_t taken; text.size; text = (Text){text.data + taken, text.size - taken}) {
        Text form = plain_form(plain->tokenizer, text, &taken);
        for (size_t i = 0; i < form.size; i++)
            if (!plain_put_byte(plain, form.data[i], fault)) return false;
    }
    return true;
}

static bool write_plainer(Encoder *encoder, Text *text, Fault *fault) {
    Plain plain = {.tokenizer = encoder->tokenizer};
    bool ok = plain_put_text(&plain, *text, fault);
    char *out = ok ? encoder_room(encoder, plain.size, fault) : NULL;
    if (out && plain.size) memcpy(out, plain.text, plain.size);
    free(plain.text);
    *text = (Text){out, plain.size};
    return out != NULL;
}

static void join_unknown(Encoder *encoder, TokenList *tokens, size_t from) {
    const Tokenizer *t = encoder->tokenizer;
    size_t to = from;
    for (size_t i = from; i < tokens->count; i++)
        if (i == from || tokens->ids[i] != t->unknown || tokens->ids[i - 1] != t->unknown)
            tokens->ids[to++] = tokens->ids[i];
    if (to < tokens->count) encoder->known_from = max_size(encoder->known_from, tokens->count);
    tokens->count = to;
}

bool encode_unigram(Encoder *encoder, Text text, TokenList *tokens, Fault *fault) {
    size_t first = tokens->count;
    if (!write_plainer(encoder, &text, fault)) return false;
    while (text.size) {
        size_t size = sentencepiece_word(encoder->tokenizer, text);
        if (!encoder_word(encoder, (Text){text.data, size}, encode_best_path, tokens, fault))
            return false;
        text = (Text){text.data + size, text.size - size};
    }
    join_unknown(encoder, tokens, first);
    return true;
}
