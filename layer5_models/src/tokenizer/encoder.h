/* encoder.h - one call of tokenizer_encode: a text on its way to tokens; private to layer 5. */
#ifndef STRATA_ENCODER_H
#define STRATA_ENCODER_H

#include "../vocab/vocab.h"

/* ------------------------------------------------------------------ merge.c */

/* A piece of text while it is merged. */
typedef struct Piece {
    const char *data;
    uint32_t size;
    int32_t symbol;        /* -1: no token yet */
    int32_t before, after; /* neighbours; -1: none */
} Piece;

/* Memory for the pieces of a word, reused from word to word. */
typedef struct Scratch {
    Piece *pieces;                /* (max_pieces) */
    struct Candidate *candidates; /* (3 * max_pieces) merges */
    size_t max_pieces;
    struct Path *paths; /* (max_paths) for kinds that compare paths through a word */
    size_t max_paths;
} Scratch;

bool scratch_reserve(Scratch *scratch, size_t max_pieces, Fault *fault);
void scratch_free(Scratch *scratch);

/* May two neighbours merge?  Lower priority goes first; equal ones from the left. */
typedef bool MergeRule(const Tokenizer *tokenizer, const Piece *left, const Piece *right,
                       double *priority, int32_t *merged);

/* Merge neighbours of the first n pieces while any may; merged pieces have size 0.  O(n log
 * n). */
void merge_pieces(const Tokenizer *tokenizer, Scratch *scratch, size_t n, MergeRule *rule);

MergeRule merge_learned; /* bpe.c */
MergeRule merge_scored;  /* sentencepiece.c */

/* ------------------------------------------------------------------ words */

/* EncodeWord (pre.h): append the tokens of one word. */
EncodeWord encode_bpe;           /* bpe.c */
EncodeWord encode_sentencepiece; /* sentencepiece.c; spaces are written as U+2581 */

/* bpe.c: append a piece's token, or else the tokens of its bytes. */
bool bpe_emit(const Tokenizer *tokenizer, const Piece *piece, TokenList *tokens, Fault *fault);
/* The token of a whole word, for vocabularies with ignore_merges; -1: none. */
int32_t bpe_whole_word(const Tokenizer *tokenizer, Text word);

/* The bytes up to the next position that no token crosses (>= 1; needs size > 0). */
size_t sentencepiece_word(const Tokenizer *tokenizer, Text text);

/* ------------------------------------------------------------------ texts */

/* A call of tokenizer_encode. */
typedef struct Encoder {
    const Tokenizer *tokenizer;
    Scratch scratch;
    /* (n_known) a cache by hash; a later word overwrites an earlier one */
    struct KnownWord *known;
    size_t n_known;
    size_t known_from; /* entries of `known` whose tokens begin before it are stale */
    PreTokenizer pre;
    struct TextBlock *blocks; /* normalized texts; words are borrowed from them */
    const Cut *cut;           /* the current word, if patterns cut it */
    /* reports words and special tokens, see tokenizer_explain; NULL: no report */
    const struct EncodeReport *report;
} Encoder;

/* Callbacks that explain how a text was encoded. */
typedef struct EncodeReport {
    void (*special)(const Encoder *encoder, int32_t id);
    /* the word's tokens are those of the list from `first` on */
    void (*word)(const Encoder *encoder, Text word, const TokenList *tokens, size_t first);
    void *context;
} EncodeReport;

/* Append the tokens of a text without special tokens.  Fails when memory is short or a byte has
 * no token. */
typedef bool EncodeText(Encoder *encoder, Text text, TokenList *tokens, Fault *fault);

EncodeText encode_split_text;  /* text that is split by patterns */
EncodeText encode_merged_text; /* SentencePiece: cut where no token crosses */

/* How llama.cpp reads text, where it differs from training; see tokenizer_open_as. */
typedef struct LlamaStyle {
    /* replaces invalid UTF-8 by U+FFFD */
    bool (*clean)(Encoder *encoder, Text *text, Fault *fault);
    /* the length of a character, by its first byte */
    size_t (*character)(unsigned char first);
    /* opens the rule's patterns */
    bool (*split)(Splitter *splitter, const PreRule *rule, Fault *fault);
} LlamaStyle;

/* A normal form of Unicode, in which text is written first (extras: normal_form.h). */
typedef struct NormalForm {
    const char *name;
    bool alike, joins; /* also what only looks different is taken apart; parts are joined */
    bool (*rewrite)(const struct NormalForm *form, Encoder *encoder, Text *text, Fault *fault);
} NormalForm;

Encoder *encoder_open(const Tokenizer *tokenizer, size_t size, Fault *fault);
void encoder_close(Encoder *encoder);

/* Memory for a text, freed by encoder_close; NULL, with a fault, when memory is short.
 * encoder_trim returns the unused end. */
char *encoder_room(Encoder *encoder, size_t size, Fault *fault);
void encoder_trim(Encoder *encoder, size_t unused);

/* The style's `clean`, where there is one. */
bool encoder_clean(Encoder *encoder, Text *text, Fault *fault);

/* Append the tokens of one word, copied if it was seen before.  Its bytes must outlive the
 * encoder. */
bool encoder_word(Encoder *encoder, Text word, EncodeWord *encode, TokenList *tokens,
                  Fault *fault);
/* Report a word; its tokens are those from `first` on. */
void encoder_report(const Encoder *encoder, Text word, const TokenList *tokens, size_t first);

/* tokenizer.c: encode a text.
 *
 *   user    (text.size) 1: a user wrote this byte; NULL: none of them
 *   report  NULL: none */
bool encoder_run(const Tokenizer *tokenizer, Text text, const unsigned char *user, bool special,
                 const EncodeReport *report, TokenList *tokens, Fault *fault);

#endif
