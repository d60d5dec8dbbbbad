/* lab.c - `strata compare` in a page: stories of Tiny World under a chain, checked, and the
 * true stories that the chain can tell.
 *
 *     lab_open(documents)              held-out openings, the first ones of `strata compare`
 *     lab_begin(chain, seed, a, b)     stories a .. b - 1: text `i` continues opening `i`
 *     lab_step()                       a token for each of them; how many are not complete
 *     lab_stories()                    those completed since the last call, as CSV
 *     lab_tokens(i)                    a story's token ids, the opening's too: "1.2.3"
 *     lab_differ(texts)                two lists of ids, "1.2.3 1.4.3": which tokens of each
 *                                      the other lacks, "010 010"
 *     lab_kept(i)                      can the chain tell true document i?  1: yes, 0: no
 *     lab_share(count, n)              count / n and its 95 % interval: three numbers
 *
 * Invariant: the study is that of layer6_inference/extras/program/compare, with the same
 * openings, seeds, limits and checks, so every count is the program's. */
#include "playground.h"
#include "estimate.h"
#include "study.h"

#include <stdlib.h>
#include <string.h>

static struct {
    CompareJob job;
    Study study;
    Writer *writer;
    TruthReader *reader;
    bool *reported; /* (documents) */
    Fault fault;
} lab;

const char *EXPORT(lab_open)(unsigned documents) {
    lab.job = (CompareJob){.documents = documents, .seeds = 1, .words = 4, .max_tokens = 400};
    lab.study = (Study){.job = &lab.job, .model = *play_model(), .n_openings = documents};
    lab.study.openings = calloc(documents, sizeof *lab.study.openings);
    lab.reported = calloc(documents, sizeof *lab.reported);
    lab.job.n_chains = 1;
    if (!lab.study.openings || !lab.reported)
        fault_set(&lab.fault, "no memory for %u openings", documents);
    else if ((lab.study.world = world_open(&lab.fault)) &&
             study_documents(&lab.study, &lab.fault) && study_results(&lab.study, &lab.fault))
        return NULL;
    return text_fault(&lab.fault);
}

/* Memory for the results of lab_begin's range is used again. */
static void lab_clear(size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        world_text_free(&lab.study.samples[i].text), free(lab.study.samples[i].ids);
        lab.study.samples[i] = (Sample){0}, lab.reported[i] = false;
    }
}

/* A chain that needs more than the model is refused with the stage's name. */
static bool lab_set_chain(const char *text, unsigned seed) {
    static char *kept;
    Chain chain;
    Step step = {.tokenizer = play_model()->tokenizer};
    if (!chain_parse(&chain, text, step.tokenizer, &lab.fault)) return false;
    bool ok = chain_check(&chain, &step, &lab.fault);
    free(kept);
    lab.job.chains[0] = kept = chain_print(&chain);
    lab.job.seed = seed;
    chain_close(&chain);
    return ok;
}

const char *EXPORT(lab_begin)(const char *chain, unsigned seed, unsigned begin, unsigned end) {
    writer_close(lab.writer), truth_close(lab.reader);
    lab.writer = NULL, lab.reader = NULL;
    if (end > lab.study.n_openings || begin > end)
        fault_set(&lab.fault, "no stories %u to %u: there are %zu", begin, end,
                  lab.study.n_openings);
    else if (lab_set_chain(chain, seed)) {
        lab_clear(begin, end);
        if ((lab.writer = writer_open(&lab.study, begin, end, &lab.fault)) &&
            (lab.reader = truth_open(&lab.study, &lab.fault)))
            return NULL;
    }
    return text_fault(&lab.fault);
}

const char *EXPORT(lab_fault)(void) { return text_fault(&lab.fault); }

int EXPORT(lab_step)(void) {
    if (!writer_left(lab.writer)) return 0;
    if (!writer_step(lab.writer, &lab.fault)) return -1;
    return (int)writer_left(lab.writer);
}

static void put_story(FILE *out, size_t i) {
    const Sample *s = &lab.study.samples[i];
    fprintf(out, "%zu,%d,%s,%zu,%zu,%zu,%zu,%.9g,", i, s->right,
            s->right ? "" : s->verdict.reason,
            s->verdict.valid ? s->text.size : s->verdict.place, lab.study.openings[i].end,
            s->begun, s->tokens, s->surprisal);
    text_cell(out, s->right ? text_of("") : text_of(s->verdict.detail));
    fputc('\n', out);
}

const char *EXPORT(lab_stories)(void) {
    FILE *out = text_begin();
    fprintf(out, "story,right,reason,place,opening,begun,tokens,surprisal,detail\n");
    for (size_t i = 0; i < lab.study.n_openings; i++)
        if (lab.study.samples[i].ids && !lab.reported[i]) {
            lab.reported[i] = true;
            put_story(out, i);
        }
    return text_end(out);
}

/* Ids with dots between them, up to a blank. */
static Sample read_ids(const char **text) {
    Sample s = {.ids = malloc((strlen(*text) + 1) * sizeof *s.ids)};
    while (s.ids && **text && **text != ' ') {
        char *end;
        s.ids[s.tokens++] = (int32_t)strtol(*text, &end, 10);
        *text = end + (*end == '.');
    }
    *text += **text == ' ';
    return s;
}

static bool put_lacking(FILE *out, const Sample *a, const Sample *b) {
    bool *common = calloc(b->tokens + 1, sizeof *common);
    bool ok = common && samples_common(a, b, common, &lab.fault);
    for (size_t i = 0; ok && i < b->tokens; i++) fputc(common[i] ? '0' : '1', out);
    free(common);
    return ok;
}

const char *EXPORT(lab_differ)(const char *texts) {
    Sample a = read_ids(&texts), b = read_ids(&texts);
    FILE *out = text_begin();
    bool ok = a.ids && b.ids && put_lacking(out, &b, &a) && fputc(' ', out) &&
              put_lacking(out, &a, &b);
    const char *text = text_end(out);
    free(a.ids), free(b.ids);
    return ok ? text : text_fault(&lab.fault);
}

const char *EXPORT(lab_tokens)(unsigned i) {
    FILE *out = text_begin();
    const Sample *s = &lab.study.samples[i];
    for (size_t k = 0; k < s->begun + s->tokens; k++)
        fprintf(out, "%s%d", k ? "." : "", s->ids[k]);
    return text_end(out);
}

int EXPORT(lab_kept)(unsigned i) {
    if (!truth_read(lab.reader, i, &lab.fault)) return -1;
    return lab.study.truth[i].kept;
}

const double *EXPORT(lab_share)(unsigned count, unsigned n) {
    static double numbers[3];
    Estimate e;
    double *x = calloc(n + 1, sizeof *x);
    for (unsigned i = 0; x && i < count; i++) x[i] = 1;
    if (x && estimate_open(&e, n)) {
        estimate_mean(&e, x);
        Value v = estimate_share(&e);
        numbers[0] = v.mean, numbers[1] = v.low, numbers[2] = v.high;
        estimate_close(&e);
    }
    free(x);
    return numbers;
}
