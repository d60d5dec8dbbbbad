/* speculate.c - see speculate.h. */
#include "speculate.h"
#include "take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t speculate_lookup(const int32_t *tokens, size_t n, size_t max, int32_t *draft) {
    for (size_t words = n > 3 ? 3 : n ? n - 1 : 0; words > 0; words--)
        for (size_t at = n - 1; at-- > words - 1;) {
            const int32_t *end = tokens + at + 1; /* what follows position `at` */
            if (memcmp(end - words, tokens + n - words, words * sizeof *tokens) != 0) continue;
            size_t count = n - (at + 1) < max ? n - (at + 1) : max;
            memcpy(draft, end, count * sizeof *draft);
            return count;
        }
    return 0;
}

/* The distribution that the chain draws from, as a dense row.  All stages but the last act. */
static bool shape(Sequence *s, Chain *chain, float *logits, float *out, Fault *fault) {
    Candidates *c = s->candidates;
    int32_t token;
    if (!sequence_choose(s, chain, logits, &token, fault)) return false;
    memset(out, 0, c->vocab * sizeof *out);
    double sum = candidates_log_sum(c);
    for (size_t i = 0; i < c->count; i++)
        out[candidates_id(c, i)] = (float)exp((double)c->logits[i] - sum);
    return true;
}

static int32_t draw(const float *p, size_t n, double u) {
    double sum = 0;
    int32_t last = 0;
    for (size_t i = 0; i < n; i++) sum += (double)p[i];
    for (size_t i = 0; i < n; i++) {
        if (p[i] <= 0) continue;
        last = (int32_t)i;
        if ((u -= (double)p[i] / sum) < 0) return last;
    }
    return last;
}

/* Random numbers: of the draft, of the acceptance, of the second draw; by position, like all. */
enum { COIN_DRAFT = 1001, COIN_ACCEPT, COIN_REST };

static double coin(const Sequence *s, uint64_t which) {
    return rng_unit(s->options.seed, s->tokens->count, which);
}

/* ------------------------------------------------------------------ drafts */

static size_t max_drafted(const Sequence *s) {
    size_t length = s->options.speculation->length, text = s->draft->text_count,
           room = s->ctx - (text ? text : s->tokens->count);
    return length < room ? length : room;
}

/* Has it read all but its last token, and its draft about as much? */
static bool is_due(const Sequence *s) {
    if (!s->live || s->held || s->preempted || !s->draft || s->draft->made) return false;
    const Reader *text = &s->reader[READS_TEXT], *draft = &s->reader[READS_DRAFT];
    size_t count = s->tokens->count, lacks = 2;
    if (has_draft_head(s)) /* what it guessed right it reads again */
        lacks = min_size(SPECULATE_MAX + 2, draft->session->max_tokens);
    return session_length(text->session, text->id) + 1 == count &&
           (!draft->session || session_length(draft->session, draft->id) + lacks >= count);
}

static void draft_by_lookup(Sequence *s) {
    Draft *g = s->draft;
    g->count = speculate_lookup(s->tokens->ids, s->tokens->count, max_drafted(s), g->text);
    memset(g->q, 0, g->count * g->vocab * sizeof *g->q);
    for (size_t i = 0; i < g->count; i++) g->q[i * g->vocab + (size_t)g->text[i]] = 1;
}

/* What the first stage that can tell says comes next. */
static void draft_forced(Sequence *s) {
    const Chain *chain = s->options.chain;
    Draft *g = s->draft;
    for (size_t i = 0; i < chain->count && g->count == 0; i++) {
        const Stage *stage = &chain->stages[i];
        if (stage->kind->forced) g->count = stage->kind->forced(stage, g->text, max_drafted(s));
    }
}

/* `made` from now on: it is complete when all drafts have run. */
static void begin_draft(Sequence *s) {
    Draft *g = s->draft;
    g->made = true, g->count = 0, g->text_count = s->tokens->count;
    for (; !s->options.speculation->forced && g->followed < s->result.tokens; g->followed++)
        chain_accept(&g->chain, s->tokens->ids[s->result.prompt_tokens + g->followed]);
    if (s->options.speculation->forced)
        draft_forced(s);
    else if (!s->reader[READS_DRAFT].session)
        draft_by_lookup(s);
}

/* Is there memory for all that the draft is going to read? */
static bool has_pages(Engine *e, Sequence *s) {
    const Reader *r = &s->reader[READS_DRAFT];
    size_t tokens[READERS] = {0}, count = s->tokens->count + max_drafted(s);
    if (r->session && max_drafted(s))
        tokens[READS_DRAFT] = count - 1 - session_length(r->session, r->id);
    return pages_promise(e, s, tokens);
}

/* The draft model's next token; it is part of the text for as long as the draft is being made. */
static bool draft_one(Engine *e, Sequence *s, Fault *fault) {
    const Reader *r = &s->reader[READS_DRAFT];
    Draft *g = s->draft;
    float *q = g->q + g->count * g->vocab;
    s->candidates = &e->candidates[0];
    if (!shape(s, &g->chain, part_row(&e->parts[r->part], r->row), q, fault)) return false;
    g->text[g->count] = draw(q, g->vocab, coin(s, COIN_DRAFT));
    chain_accept(&g->chain, g->text[g->count]);
    token_list_add(s->tokens, g->text[g->count++]);
    return true;
}

/* The draft model reads what it lacks of the texts in `taking`, and drafts one token more of each. */
static bool run_drafts(Engine *e, size_t number, size_t n, Fault *fault) {
    EnginePart *part = &e->parts[number];
    if (!engine_forward(e, number, fault)) return false;
    part->count = part->rows = 0;
    for (size_t i = 0; i < n; i++)
        if (!draft_one(e, e->taking[i], &e->taking[i]->fault)) sequence_fail(e->taking[i]);
    return true;
}

static bool is_drafting(const Sequence *s, size_t part, size_t tokens) {
    return s->live && s->draft && s->draft->made && s->draft->count == tokens &&
           s->draft->text_count && s->reader[READS_DRAFT].session &&
           s->reader[READS_DRAFT].part == part && tokens < max_drafted(s) &&
           !chain_ends(&s->draft->chain);
}

/* Token number `tokens` of all drafts that one draft model makes. */
static bool draft_next(Engine *e, size_t number, size_t tokens, Fault *fault) {
    EnginePart *part = &e->parts[number];
    size_t n = 0;
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++) {
        Reader *r = &s->reader[READS_DRAFT];
        if (!is_drafting(s, number, tokens)) continue;
        size_t at = session_length(r->session, r->id), lacks = s->tokens->count - at;
        if (part_room(part) < lacks || part->rows == part->session->max_logits) {
            if (!run_drafts(e, number, n, fault)) return false;
            n = 0;
        }
        r->row = part->rows;
        for (size_t i = at; i < at + lacks; i++)
            part_push(part, r->id, s->tokens->ids[i], i, i + 1 == at + lacks);
        e->taking[n++] = s;
    }
    return n == 0 || run_drafts(e, number, n, fault);
}

static bool has_drafts(const Engine *e) {
    for (size_t i = 0; i < e->room; i++)
        if (e->sequences[i].draft) return true;
    return false;
}

bool engine_draft(Engine *e, Fault *fault) {
    bool ok = true;
    if (!has_drafts(e)) return true;
    pages_begin(e);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++)
        if (is_due(s) && has_pages(e, s)) begin_draft(s);
    for (size_t tokens = 0; ok && tokens < SPECULATE_MAX; tokens++)
        for (size_t part = 0; ok && part < e->n_parts; part++)
            ok = draft_next(e, part, tokens, fault);
    for (Sequence *s = e->sequences; s < e->sequences + e->room; s++)
        if (s->draft && s->draft->text_count)
            s->tokens->count = s->draft->text_count, s->draft->text_count = 0;
    return ok;
}

/* ------------------------------------------------------------------ what the model says */

/* Accept or draw again; returns false at the first token that was not drafted. */
static bool verify(Sequence *s, size_t i, int32_t *token) {
    Draft *g = s->draft;
    const float *q = g->q + i * g->vocab;
    if (i == g->count) {
        *token = draw(g->p, g->vocab, coin(s, COIN_REST));
        return false;
    }
    *token = g->text[i];
    if (coin(s, COIN_ACCEPT) < speculate_accept_prob(g->p, q, *token)) {
        g->accepted++;
        return true;
    }
    speculate_residual(g->p, q, g->vocab, g->rest);
    *token = draw(g->rest, g->vocab, coin(s, COIN_REST));
    return false;
}

/* The chain chooses as if nothing had been drafted. */
static bool verify_forced(Sequence *s, float *rows, Fault *fault) {
    Draft *g = s->draft;
    for (size_t i = 0; s->live && i <= g->count; i++) {
        size_t before = s->tokens->count;
        if (!sequence_take(s, rows + i * g->vocab, &s->choice, fault)) return false;
        if (i == g->count || s->tokens->count == before || s->choice.token != g->text[i]) break;
        g->accepted++;
    }
    return true;
}

bool draft_verify(Sequence *s, float *rows, Fault *fault) {
    const Draft *g = s->draft;
    bool more = true;
    if (s->options.speculation->forced) return verify_forced(s, rows, fault);
    for (size_t i = 0; more && s->live && i <= g->count; i++) {
        int32_t token;
        float *row = rows + i * g->vocab;
        if (s->raw) memcpy(s->raw, row, g->vocab * sizeof *row);
        if (!shape(s, s->options.chain, row, g->p, fault)) return false;
        more = verify(s, i, &token);
        sequence_append(s, token, &s->choice);
    }
    return true;
}

void draft_rollback(Sequence *s) {
    Speculation *all = s->options.speculation;
    Draft *g = s->draft;
    all->rounds++, all->drafted += g->count, all->accepted += g->accepted;
    draft_head_rollback(s);
    g->made = false, g->accepted = 0;
    if (s->reader[READS_DRAFT].session) chain_rewind(&g->chain, g->count);
    for (const Reader *r = s->reader; r < s->reader + READERS; r++)
        if (r->session) session_rewind(r->session, r->id, s->tokens->count - 1);
}

/* ------------------------------------------------------------------ what goes together */

/* A draft head reads rows of its own model. */
static bool check_head(const Model *head, const Model *model, Fault *fault) {
    if (!draft_head_is(head)) return true;
    if (head->recipe->guesses)
        return head->guesses.model == model ||
               fault_set(fault, "the draft head drafts for another model (draft_head_fit)");
    return head->sizes.dim == model->sizes.dim ||
           fault_set(fault,
                     "a draft head of rows of %zu numbers, a model of %zu: wanted its own head",
                     head->sizes.dim, model->sizes.dim);
}

/* The last stage must be one whose distribution can be told: what it draws from is what is left. */
static bool check(const GenerateOptions *o, const Session *session, Fault *fault) {
    const StageKind *last = o->chain->stages[o->chain->count - 1].kind;
    const Speculation *s = o->speculation;
    if (!s->forced && last != &stage_draw && last != &stage_greedy && last != &stage_gumbel)
        return fault_set(
            fault, "speculation needs a chain that ends in draw, gumbel or greedy, not in %s",
            last->name);
    for (size_t i = 0; i < o->chain->count && !s->forced; i++)
        if (o->chain->stages[i].kind == &stage_skew && !stage_is_off(&o->chain->stages[i]))
            return fault_set(
                fault,
                "speculation keeps the distribution; skew bends the coin: leave one out");
    if (o->amateur || o->negative || (o->heal && o->heal->size))
        return fault_set(fault, "speculation does not go with a second model, cfg or healing");
    if (s->length < 1 || s->length > SPECULATE_MAX)
        return fault_set(fault, "a draft of %zu tokens: wanted 1 to %d", s->length,
                         SPECULATE_MAX);
    if (session->max_logits < s->length + 1)
        return fault_set(fault,
                         "the session has room for %zu rows of logits, a draft needs %zu",
                         session->max_logits, s->length + 1);
    if (s->draft && !check_head(s->draft->model, session->model, fault)) return false;
    if (s->draft && s->draft->model->sizes.vocab != session->model->sizes.vocab)
        return fault_set(
            fault, "the draft has %zu tokens, the model %zu: they must share a vocabulary",
            s->draft->model->sizes.vocab, session->model->sizes.vocab);
    return true;
}

/* Room for what a draft head reads: h of each position that it, or the model, may come to. */
static bool open_hidden(Sequence *s, const Session *session) {
    const Session *head = s->options.speculation->draft;
    if (!head || !draft_head_is(head->model)) return true;
    size_t ctx = max_size(session_ctx(head), session_ctx(session)),
           numbers = ctx * head->model->sizes.dim;
    return (s->draft->hidden = malloc(numbers * sizeof(float)));
}

bool draft_open(Sequence *s, const Session *session, Fault *fault) {
    if (!check(&s->options, session, fault)) return false;
    Draft *g = s->draft = calloc(1, sizeof *g);
    if (!g) return fault_set(fault, "no memory for a draft");
    g->vocab = session->model->sizes.vocab;
    if (s->options.speculation->forced) return true;
    g->q = malloc(SPECULATE_MAX * g->vocab * sizeof *g->q);
    g->p = malloc(g->vocab * sizeof *g->p), g->rest = malloc(g->vocab * sizeof *g->rest);
    chain_copy(&g->chain, s->options.chain);
    g->chain.observer = NULL;
    if (!open_hidden(s, session)) return fault_set(fault, "no memory for hidden states");
    return (g->q && g->p && g->rest) || fault_set(fault, "no memory for a draft");
}

void draft_close(Draft *g) {
    if (!g) return;
    chain_close(&g->chain);
    free(g->q), free(g->p), free(g->rest), free(g->hidden), free(g);
}
