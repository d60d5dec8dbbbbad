/* truth.c - the probability of the true documents under each chain.  See study.h.
 *
 * The model evaluates a document once; every chain then processes its rows of logits as if it
 * had generated the document itself: at each position its uniform sample selects the true
 * token, if that still is a candidate.
 *
 * Invariant: -ln p of a document is computed as for the chain's own texts. */
#include "study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 32 }; /* rows of logits at a time */

struct TruthReader {
    const Study *study;
    Session session, guide, amateur;          /* guide: the document without its opening */
    SteeringOptions steering, guide_steering; /* on the sessions, as in generation */
    Chain *chains;                            /* (n_chains) */
    Candidates *candidates;                   /* (threads) */
    Arena *arenas;                            /* (threads) */
    float **rows;                             /* (threads) a row that a chain may modify */
    TokenList tokens, tail; /* the document and a world's end token; without the opening */
    size_t document, begun;
    size_t at, n; /* n rows, following the tokens from `at` on */
    bool *failed; /* (n_chains) */
    Fault *faults;
};

/* A document of the user's may be longer than a generated text, and an excerpt. */
static void truth_end_document(TruthReader *r) {
    size_t room = r->begun + (size_t)r->study->job->max_tokens;
    if (r->study->world)
        token_list_add(&r->tokens, tokenizer_bos(r->study->model.tokenizer));
    else
        r->tokens.count = min_size(r->tokens.count, min_size(room, session_ctx(&r->session)));
}

/* The document after its opening, and the end token. */
static bool truth_read_document(TruthReader *r, const Opening *o, Fault *fault) {
    const Tokenizer *t = r->study->model.tokenizer;
    const TokenList *begin = &o->tokens;
    const bool world = r->study->world != NULL;
    Text whole = {o->text.bytes, o->text.size},
         rest = {o->text.bytes + o->end, o->text.size - o->end};
    r->tokens.count = r->tail.count = 0, r->begun = begin->count;
    tokenizer_begin(t, &r->tokens), tokenizer_begin(t, &r->tail);
    if (!tokenizer_encode(t, whole, world, &r->tokens, fault)) return false;
    bool goes_on = r->tokens.count >= begin->count &&
                   memcmp(r->tokens.ids, begin->ids, begin->count * sizeof *begin->ids) == 0;
    if (!goes_on) { /* the opening ends within a token */
        r->tokens.count = 0;
        for (size_t i = 0; i < begin->count; i++) token_list_add(&r->tokens, begin->ids[i]);
        if (!tokenizer_encode(t, rest, world, &r->tokens, fault)) return false;
    }
    truth_end_document(r);
    for (size_t i = begin->count; i < r->tokens.count; i++)
        token_list_add(&r->tail, r->tokens.ids[i]);
    return true;
}

/* A row of a second model; the guide's rows start at the end of the opening. */
static const float *truth_row_of(const Session *s, size_t row) {
    return s->logits + row * s->model->sizes.vocab;
}

static bool truth_take_row(TruthReader *r, size_t chain, int worker, size_t row, Truth *truth) {
    size_t next = r->at + row + 1, vocab = r->study->model.sizes.vocab;
    Candidates *c = &r->candidates[worker];
    int32_t token;
    Step step = {
        .seed = rng_hash(r->study->job->seed, 77, r->document * (size_t)r->study->job->seeds),
        .position = next,
        .history = r->tokens.ids,
        .history_count = next,
        .prompt_count = r->begun,
        .tokenizer = r->study->model.tokenizer,
        .amateur = r->amateur.model ? truth_row_of(&r->amateur, row) : NULL,
        .unconditional = r->guide.model ? truth_row_of(&r->guide, row) : NULL};
    memcpy(r->rows[worker], truth_row_of(&r->session, row), vocab * sizeof(float));
    if (!candidates_load(c, r->rows[worker], &r->faults[chain])) return false;
    c->given = r->tokens.ids[next];
    if (!chain_run(&r->chains[chain], c, &step, &token, &r->faults[chain])) return false;
    truth->nats -= chain_ln_p(&r->chains[chain], c, r->tokens.ids[next]);
    truth->kept = truth->nats < INFINITY;
    if (truth->kept && next + 1 < r->tokens.count)
        chain_accept(&r->chains[chain], r->tokens.ids[next]);
    return true;
}

/* A PoolTask: chains process the rows. */
static void take_rows(void *context, int worker, size_t begin, size_t end) {
    TruthReader *r = context;
    for (size_t c = begin; c < end; c++) {
        Truth *truth = &r->study->truth[c * r->study->n_openings + r->document];
        for (size_t i = 0; i < r->n && truth->kept && !r->failed[c]; i++)
            r->failed[c] = !truth_take_row(r, c, worker, i, truth);
    }
}

/* Evaluate n rows of logits, following the tokens from `at` on. */
static bool eval_rows(TruthReader *r, size_t at, size_t n, Fault *fault) {
    size_t guide = at - (r->begun - 1); /* the guide has only the begin token before it */
    return session_eval(&r->session, r->tokens.ids + at, n, true, fault) &&
           (!r->amateur.model ||
            session_eval(&r->amateur, r->tokens.ids + at, n, true, fault)) &&
           (!r->guide.model || session_eval(&r->guide, r->tail.ids + guide, n, true, fault));
}

static bool begin_sessions(TruthReader *r, Fault *fault) {
    size_t first = r->begun - 1;
    Session *all[] = {&r->session, &r->amateur, &r->guide};
    for (size_t i = 0; i < 3; i++)
        if (all[i]->model) session_reset(all[i]);
    return first == 0 || (session_eval(&r->session, r->tokens.ids, first, false, fault) &&
                          (!r->amateur.model ||
                           session_eval(&r->amateur, r->tokens.ids, first, false, fault)));
}

/* Longer than a generated text can be. */
static bool truth_is_too_long(const TruthReader *r) {
    size_t told = r->tokens.count - r->begun; /* and its end token */
    return told > (size_t)r->study->job->max_tokens ||
           r->tokens.count > session_ctx(&r->session);
}

/* Does any chain still keep the document?  If none does, the rest of it changes nothing. */
static bool is_kept(const TruthReader *r) {
    const Study *study = r->study;
    for (size_t c = 0; c < study->job->n_chains; c++)
        if (study->truth[c * study->n_openings + r->document].kept) return true;
    return false;
}

static bool ask_chains(TruthReader *r, Fault *fault) {
    const Study *study = r->study;
    for (size_t c = 0; c < study->job->n_chains; c++) {
        bool knows = !chain_needs(&r->chains[c], NEEDS_LOOK_AHEAD) && !truth_is_too_long(r);
        study->truth[c * study->n_openings + r->document] =
            (Truth){knows, knows ? 0 : INFINITY, r->tokens.count - r->begun};
        chain_reset(&r->chains[c]);
    }
    if (truth_is_too_long(r)) return true;
    if (!begin_sessions(r, fault)) return false;
    for (r->at = r->begun - 1; is_kept(r) && r->at + 1 < r->tokens.count; r->at += r->n) {
        r->n = r->tokens.count - 1 - r->at < ROWS ? r->tokens.count - 1 - r->at : ROWS;
        if (!eval_rows(r, r->at, r->n, fault)) return false;
        pool_for(study->job->compute.pool, study->job->n_chains, 1, take_rows, r);
    }
    for (size_t c = 0; c < study->job->n_chains; c++)
        if (r->failed[c])
            return *fault = r->faults[c], fault_prefix(fault, study->job->chains[c]);
    return true;
}

static bool truth_open_reader(TruthReader *r, Fault *fault) {
    const Study *study = r->study;
    size_t chains = study->job->n_chains, vocab = study->model.sizes.vocab;
    size_t threads = (size_t)pool_threads(study->job->compute.pool);
    r->chains = calloc(chains, sizeof *r->chains),
    r->failed = calloc(chains, sizeof *r->failed);
    r->faults = calloc(chains, sizeof *r->faults);
    r->candidates = calloc(threads, sizeof *r->candidates);
    r->arenas = calloc(threads, sizeof *r->arenas), r->rows = calloc(threads, sizeof *r->rows);
    if (!r->chains || !r->failed || !r->faults || !r->candidates || !r->arenas || !r->rows)
        return fault_set(fault, "no memory to read documents");
    for (size_t c = 0; c < chains; c++)
        if (!chain_parse(&r->chains[c], study->job->chains[c], study->model.tokenizer, fault))
            return false;
    for (size_t i = 0; i < threads; i++)
        if (!candidates_open(&r->candidates[i], vocab, &r->arenas[i], fault) ||
            !(r->rows[i] = malloc(vocab * sizeof(float))))
            return r->arenas[i].base ? fault_set(fault, "no memory for a row of logits")
                                     : false;
    r->steering = r->guide_steering = study->job->steering;
    steering_prepare(&r->steering);
    return study_session(&r->session, study, &study->model, 1, ROWS, fault) &&
           steering_open(&r->steering, &r->session, fault) &&
           (!study->guided || (study_session(&r->guide, study, &study->model, 1, ROWS, fault) &&
                               steering_open(&r->guide_steering, &r->guide, fault))) &&
           (!study->job->amateur ||
            study_session(&r->amateur, study, &study->amateur, 1, ROWS, fault));
}

void truth_close(TruthReader *r) {
    if (!r) return;
    size_t threads = (size_t)pool_threads(r->study->job->compute.pool);
    for (size_t c = 0; r->chains && c < r->study->job->n_chains; c++)
        chain_close(&r->chains[c]);
    for (size_t i = 0; i < threads; i++) {
        if (r->arenas) arena_free(&r->arenas[i]);
        if (r->rows) free(r->rows[i]);
    }
    free(r->chains), free(r->failed), free(r->faults), free(r->candidates);
    free(r->arenas), free(r->rows);
    token_list_free(&r->tokens), token_list_free(&r->tail);
    session_close(&r->session), session_close(&r->guide), session_close(&r->amateur);
    free(r);
}

TruthReader *truth_open(const Study *study, Fault *fault) {
    TruthReader *r = calloc(1, sizeof *r);
    if (!r) return fault_set(fault, "no memory to read documents"), NULL;
    r->study = study;
    if (truth_open_reader(r, fault)) return r;
    truth_close(r);
    return NULL;
}

bool truth_read(TruthReader *r, size_t document, Fault *fault) {
    r->document = document;
    return truth_read_document(r, &r->study->openings[document], fault) && ask_chains(r, fault);
}

bool study_truth(Study *study, Fault *fault) {
    Progress progress;
    size_t done = 0;
    TruthReader *r = truth_open(study, fault);
    progress_start(&progress, "true documents", "documents", (double)study->n_openings);
    while (r && done < study->n_openings && truth_read(r, done, fault))
        progress_show(&progress, (double)++done);
    progress_end(&progress, (double)done);
    truth_close(r);
    return done == study->n_openings;
}
