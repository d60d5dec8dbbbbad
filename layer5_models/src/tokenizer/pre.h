/* pre.h - the rules by which text is split into words before BPE, by name; private to src/tokenizer. */
#ifndef STRATA_PRE_H
#define STRATA_PRE_H

#include "pattern.h"

enum { MAX_STAGES = 6 };

typedef struct PreRule {
    const char
        *stages[MAX_STAGES]; /* patterns, each on the pieces that the one before has left */
    /* As llama.cpp splits, where that is not as the models were trained: by other patterns (NULL: by the
     * same), and by text in which characters above 127 are collapsed (see pattern_read). */
    const char *as_llama[MAX_STAGES];
    bool collapsed;
    bool ignore_merges; /* a word that is a token is that token, whatever the merges make */
    bool add_bos;       /* unless the file says otherwise */
    bool raw;         /* merges are of characters, not of bytes; spaces are written as U+2581 */
    bool whole_lines; /* newlines in a row that are a token are that token */
    const char *const *names;
} PreRule;

const PreRule *pre_rule_by_name(Text name); /* NULL: not built in */
/* The rule number `index`, from 0; NULL: there are no more. */
const PreRule *pre_rule_at(size_t index);

/* split.c: a rule's patterns, ready.  All threads may share one. */
typedef struct Splitter {
    Pattern *stages[MAX_STAGES];
    size_t count;
} Splitter;

bool splitter_open(Splitter *splitter, const PreRule *rule, bool as_llama, Fault *fault);
void splitter_close(Splitter *splitter);

/* One text on its way through the stages.  Begins as {0}; cutter_free gives its memory back. */
typedef struct Cutter {
    const Splitter *splitter;
    struct {
        Search search; /* of one piece of the stage before */
        size_t at;     /* in it: what is before has been handed on */
        Match match;   /* the next one */
        bool ahead;    /* `match` waits to be handed on */
    } stages[MAX_STAGES];
    bool begun;
} Cutter;

/* A word, and why it is one: it is what `stage` matched by its `alternative`, or (-1) what lay
 * between two matches. */
typedef struct Cut {
    Text word;
    size_t stage;
    int alternative;
} Cut;

/* The text stays where it is. */
void cutter_begin(Cutter *cutter, const Splitter *splitter, Text text);
void cutter_free(Cutter *cutter);
/* The next word, never empty.  *end: there was none.  Fails when memory is short. */
bool cutter_next(Cutter *cutter, Cut *cut, bool *end, Fault *fault);

#endif
