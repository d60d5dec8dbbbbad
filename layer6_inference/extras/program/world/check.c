/* check.c - strata world check and score: parse documents of Tiny World. */
#include "world_check.h"
#include "input.h"
#include "train.h"
#include "world_parts.h"
#include "train_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each document of a file, or of standard input ("-"). */
static bool each_document(const char *path, const char *world_name,
                          void (*one)(const World *world, Text document), Fault *fault) {
    size_t size;
    char *bytes = read_named(path, &size, fault);
    World *world = bytes ? world_open_named(world_name, fault) : NULL;
    for (Text rest = {bytes, size}; world && rest.size;) one(world, corpus_cut_document(&rest));
    bool ok = world != NULL;
    world_close(world);
    free(bytes);
    return ok;
}

/* ------------------------------------------------------------------ which are right */

static struct {
    const char *rule, *world;
    bool prefix, summary;
} check_asked = {.rule = "document"};

enum { REASONS = 32 };

static struct {
    long documents, valid, counts[REASONS];
    char reasons[REASONS][16];
    int n;
} tally;

static void count_reason(const char *reason) {
    int i = 0;
    while (i < tally.n && strcmp(tally.reasons[i], reason) != 0) i++;
    if (i == tally.n && i < REASONS - 1)
        snprintf(tally.reasons[tally.n++], sizeof tally.reasons[0], "%s", reason);
    tally.counts[i]++;
}

static void check_one(const World *world, Text text) {
    WorldVerdict v =
        world_check(world, check_asked.rule, text.data, text.size, check_asked.prefix);
    tally.documents++;
    tally.valid += v.valid;
    if (!v.valid) count_reason(v.reason);
    if (check_asked.summary) return;
    if (v.valid)
        printf("%ld\tvalid\t%.3f nats\n", tally.documents, v.nats);
    else
        printf("%ld\tinvalid\t%s\tbyte %zu\t%s\n", tally.documents, v.reason, v.place,
               v.detail);
}

static bool world_check_run(Fault *fault) {
    if (!each_document("-", check_asked.world, check_one, fault)) return false;
    fprintf(stderr, "[%ld of %ld document%s %s valid (%.1f %%)", tally.valid, tally.documents,
            tally.documents == 1 ? "" : "s",
            tally.valid == 1 || tally.documents == 1 ? "is" : "are",
            tally.documents ? 100.0 * (double)tally.valid / (double)tally.documents : 0);
    for (int i = 0; i < tally.n; i++)
        fprintf(stderr, "%s %ld %s", i ? "," : "; the others:", tally.counts[i],
                tally.reasons[i]);
    fprintf(stderr, "]\n");
    return true;
}

static const Option world_check_options[] = {
    {"--kind", OPT_TEXT, &check_asked.rule, "RULE",
     "required kind: document (any), story, tale, chat or card"},
    WORLD_OPTION(check_asked.world),
    {"--prefix", OPT_FLAG, &check_asked.prefix, NULL, "accept documents that stop early"},
    {"--summary", OPT_FLAG, &check_asked.summary, NULL, "print only the totals, on stderr"},
    {0},
};

static bool world_check_kind(Fault *fault) { return world_kind(check_asked.rule, fault); }

const Command world_check_command = {
    .name = "check",
    .usage = "world check [options] < DOCUMENTS",
    .about = "For each document on stdin (a line <|endoftext|> after each), print whether it "
             "obeys Tiny World; if not,\n"
             "the reason, the byte where parsing fails, and the text there.",
    .options = world_check_options,
    .check = world_check_kind,
    .run = world_check_run};

/* ------------------------------------------------------------------ how likely they are */

static struct {
    const char *rule, *file, *world;
    bool prefix;
} score_asked = {.rule = "document"};

static struct {
    long documents, scored;
    double nats, bytes; /* of the valid documents */
} total;

/* number, nats, bytes, parses; or why there is none */
static void score_one(const World *world, Text text) {
    WorldVerdict v =
        world_check(world, score_asked.rule, text.data, text.size, score_asked.prefix);
    total.documents++;
    if (!v.valid) {
        printf("%ld\tinf\t%s\tbyte %zu\t%s\n", total.documents, v.reason, v.place, v.detail);
        return;
    }
    total.scored++, total.nats += v.nats, total.bytes += (double)text.size;
    printf("%ld\t%.6f\t%zu\t%u\n", total.documents, v.nats + 0.0, text.size, v.derivations);
}

static bool world_score_run(Fault *fault) {
    if (!each_document(score_asked.file, score_asked.world, score_one, fault)) return false;
    fprintf(stderr, "[%ld document%s", total.documents, total.documents == 1 ? "" : "s");
    if (total.scored)
        fprintf(stderr, ", %.1f bytes and %.3f nats each: %.4f nats a byte",
                total.bytes / (double)total.scored, total.nats / (double)total.scored + 0.0,
                total.bytes > 0 ? total.nats / total.bytes : 0.0);
    if (total.documents > total.scored)
        fprintf(stderr, "%s%ld of probability 0", total.scored ? "; and " : ", ",
                total.documents - total.scored);
    fprintf(stderr, "]\n");
    return true;
}

static const Option world_score_options[] = {
    {"--kind", OPT_TEXT, &score_asked.rule, "RULE",
     "kind of document that p is conditioned on: document (all), story, tale, chat or card"},
    WORLD_OPTION(score_asked.world),
    {"--prefix", OPT_FLAG, &score_asked.prefix, NULL,
     "probability of all documents that begin like this"},
    {0},
};

static bool world_score_kind(Fault *fault) { return world_kind(score_asked.rule, fault); }

const Command world_score_command = {
    .name = "score",
    .usage = "world score [options] FILE",
    .about = "How likely the world is to generate each document of FILE (-: stdin; a line "
             "<|endoftext|> after each):\n"
             "its number, -ln p in nats, its bytes, and the number of derivations, over which "
             "p is summed.  A document that\n"
             "the world never generates has inf nats and a reason.  The mean over the world's "
             "own documents estimates its\n"
             "entropy.",
    .options = world_score_options,
    .words = &score_asked.file,
    .min_words = 1,
    .max_words = 1,
    .check = world_score_kind,
    .run = world_score_run};
