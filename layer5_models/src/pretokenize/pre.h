/* pre.h - pre-tokenization: splitting text into words; private to layer 5. */
#ifndef STRATA_PRE_H
#define STRATA_PRE_H

#include "../pattern/pattern.h"
#include "tokenizer.h"

enum { MAX_STAGES = 6 };

struct Scratch;

/* Append the tokens of one word.  False: memory is short, or a byte has no token. */
typedef bool EncodeWord(const Tokenizer *tokenizer, Text word, struct Scratch *scratch,
                        TokenList *tokens, Fault *fault);

/* A rule (tokenizer.ggml.pre): a row of the table. */
typedef struct PreRule {
    /* patterns, each on the pieces that the one before left */
    const char *stages[MAX_STAGES];
    bool ignore_merges; /* a word that is a token is not merged */
    bool add_bos;       /* unless the file says otherwise */
    EncodeWord *encode; /* for characters, with spaces as U+2581; NULL: for bytes */
    const char *const *names;
} PreRule;

/* The table; the last row has no names.  The core's is pre_rules.c; extras/pre_rules.c, with
 * all rules, replaces it in programs that link it. */
extern const PreRule pre_rules[];

/* Where other rules are, for the fault; "": these are all. */
extern const char *const pre_rules_elsewhere;

const PreRule *pre_rule_by_name(Text name); /* NULL: not built in */

/* Compiled patterns; threads may share one. */
typedef struct Splitter {
    Pattern *stages[MAX_STAGES];
    size_t count;
} Splitter;

/* Open the patterns of `stages` (MAX_STAGES), up to the first NULL. */
bool splitter_open(Splitter *splitter, const char *const *stages, const RegexNotation *notation,
                   Fault *fault);
void splitter_close(Splitter *splitter);

/* A text on its way through the stages.  Begins as {0}; pre_free frees its memory. */
typedef struct PreStage {
    Search search; /* of one piece of the previous stage */
    size_t at;     /* in it: everything before was emitted */
    Match match;   /* the next one */
    bool ahead;    /* `match` is still to be emitted */
} PreStage;

typedef struct PreTokenizer {
    const Splitter *splitter;
    PreStage stages[MAX_STAGES];
    bool begun;
} PreTokenizer;

/* A word: what `stage` matched by its `alternative`, or (-1) what was between two matches. */
typedef struct Cut {
    Text word;
    size_t stage;
    int alternative;
} Cut;

/* The text is borrowed. */
void pre_begin(PreTokenizer *pre, const Splitter *splitter, Text text);
void pre_free(PreTokenizer *pre);
/* The next word, never empty.  *end: there was none.  Fails when memory is short. */
bool pre_next(PreTokenizer *pre, Cut *cut, bool *end, Fault *fault);

#endif
