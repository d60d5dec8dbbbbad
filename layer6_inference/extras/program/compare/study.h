/* study.h - chains generate texts from the same openings, and are compared with the true
 * documents.
 *
 *     openings.c   what texts begin with: the user's prompts, or
 *     documents.c  the first words of true documents of Tiny World
 *     write.c      each chain generates texts from each opening
 *     truth.c      each chain's probability of the true document instead
 *     measure.c    measures, with intervals; estimate.c has the statistics
 *     table.c      as columns, JSON and CSV; page.c and plot.c: as a page
 *     tune.h       the same on documents of the user's: strata tune
 *
 * The texts of all chains are sequences of one engine, up to AT_ONCE in a batch; when one ends,
 * the next takes its slot.
 *
 * Invariant: a text depends on its chain, its opening and the seed, not on its batch. */
#ifndef STRATA_STUDY_H
#define STRATA_STUDY_H

#include "world_check.h"
#include "compute.h"
#include "steering.h"

enum { MAX_CHAINS = 128, MAX_CTX = 1024 /* of a text */ };

typedef struct CompareJob {
    const char *model, *prompt, *prompts, *csv, *html, *plot, *amateur, *world;
    const char *chains[MAX_CHAINS];
    size_t n_chains;
    long first, documents, seeds, words, max_tokens, sample;
    uint64_t seed;
    bool json;
    ComputeOptions compute;
    SteeringOptions steering; /* on the model, not on the amateur */
} CompareJob;

typedef struct Opening {
    WorldText text;   /* of a true document, the whole; of a prompt, the prompt */
    size_t line;      /* in the file of prompts; 0: not from one */
    size_t end;       /* bytes of the opening */
    TokenList tokens; /* the begin-of-sequence token, then the opening's */
    double nats;      /* -ln p of the true document under the world, given the opening */
    double unlikely;  /* -ln p of all documents with this opening */
} Opening;

/* A text and its scores. */
typedef struct Sample {
    WorldText text;
    WorldVerdict verdict;
    bool right;                         /* a valid document of the world, complete */
    int32_t *ids;                       /* (begun + tokens) owned */
    size_t tokens, begun;               /* generated; of the opening */
    double surprisal, entropy, seconds; /* sums over tokens, in nats */
    double nats;       /* -ln p of the text under its chain, end token included */
    double repetition; /* share of its 4-grams that occurred in it before */
} Sample;

/* A true document, or one of the user's, under a chain. */
typedef struct Truth {
    bool kept;     /* none of its tokens is masked */
    double nats;   /* -ln p under the chain, given the opening; infinity if a token is masked */
    size_t tokens; /* that were scored: those after the opening, and a world's end token */
} Truth;

typedef struct Study {
    const CompareJob *job;
    Model model, amateur;
    World *world;      /* NULL: the openings or documents are the user's */
    Opening *openings; /* (n_openings) */
    Sample *samples;   /* (chains, texts): texts / n_openings of each opening */
    Truth *truth;      /* (chains, n_openings); NULL without documents */
    FileOut csv, html, plot;
    size_t n_openings, texts; /* per chain */
    bool guided;              /* some chain has cfg */
    const char *contrast;     /* a chain that reads an amateur; NULL: none does */
    bool looks_ahead[MAX_CHAINS];
} Study;

/* The first words of held-out documents, or the user's prompts. */
bool study_openings(Study *study, Fault *fault);

/* The first words of n_openings held-out stories, as texts and as tokens; the
 * world is open. */
bool study_documents(Study *study, Fault *fault);
bool opening_tokenize(const Study *study, Opening *opening, Fault *fault);

/* Can every chain run?  Also finds out what each needs.  Asked before anything is computed. */
bool study_check_chains(Study *study, Fault *fault);

/* Memory for generated texts and for scores of true ones; frees all but the models. */
bool study_results(Study *study, Fault *fault);
void study_close_texts(Study *study);

/* Write all texts. */
bool study_write(Study *study, Fault *fault);

/* The same in steps: texts [begin, end) of all chains' texts, one after the other.
 *
 * A step is a token of each text that is being written.  A text is complete once its sample
 * has ids.  writer_left: texts that are not. */
typedef struct Writer Writer;
Writer *writer_open(const Study *study, size_t begin, size_t end, Fault *fault);
bool writer_step(Writer *writer, Fault *fault);
size_t writer_left(const Writer *writer);
void writer_close(Writer *writer);

/* Score the true documents under every chain. */
bool study_truth(Study *study, Fault *fault);

/* The same one document at a time. */
typedef struct TruthReader TruthReader;
TruthReader *truth_open(const Study *study, Fault *fault);
bool truth_read(TruthReader *reader, size_t document, Fault *fault);
void truth_close(TruthReader *reader);

/* Print the results, and write the requested files. */
bool study_report(Study *study, Fault *fault);

/* A session in which the model or the amateur evaluates texts. */
bool study_session(Session *session, const Study *study, const Model *model, size_t sequences,
                   size_t max_logits, Fault *fault);

/* Which tokens of b's text belong to a longest common subsequence with a's?
 *
 *   common   (b's tokens, the opening's too) written */
bool samples_common(const Sample *a, const Sample *b, bool *common, Fault *fault);

/* ln p of the token that a chain chose, or could have chosen, after its last stage. */
double chain_ln_p(const Chain *chain, Candidates *after, int32_t token);

#endif
