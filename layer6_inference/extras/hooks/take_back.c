/* take_back.c - see take_back.h. */
#include "take_back.h"
#include "engine/take.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool take_back_open(TakeBack *t, const char *const *texts, size_t n, Fault *fault) {
    *t = (TakeBack){0};
    return stops_open(&t->stops, texts, n, fault);
}

void take_back_close(TakeBack *t) {
    stops_close(&t->stops);
    free(t->tokens), free(t->bans), free(t->held);
    *t = (TakeBack){0};
}

/* The answer's token that a byte belongs to. */
static size_t take_back_token_at(const TakeBack *t, size_t byte) {
    size_t i = 0;
    while (t->tokens[i].end <= byte) i++;
    return i;
}

/* Forget the tokens from `first` on, and the bans after it. */
static void take_back_forget(TakeBack *t, size_t first, int32_t token) {
    size_t gone = t->tokens[t->count - 1].end - (first ? t->tokens[first - 1].end : 0),
           left = 0;
    t->count = first;
    t->held_size -= gone;
    for (size_t i = 0; i < t->n_bans; i++) /* another text follows from here */
        if (t->bans[i].position <= first) t->bans[left++] = t->bans[i];
    t->n_bans = left;
    NEED_MEMORY(GROW(t->bans, t->bans_room, t->n_bans + 1), "banned texts");
    t->bans[t->n_bans++] = (TakeBackBan){first, token};
    t->times++;
}

size_t take_back_push(TakeBack *t, Text text, const int32_t *answer) {
    int32_t state = t->count ? t->tokens[t->count - 1].state : 0;
    size_t begin = t->count ? t->tokens[t->count - 1].end : 0, read = 0;
    size_t length = stops_read(&t->stops, &state, text, &read);
    NEED_MEMORY(GROW(t->tokens, t->room, t->count + 1) &&
                    GROW(t->held, t->held_room, t->held_size + text.size),
                "banned texts");
    if (text.size) memcpy(t->held + t->held_size, text.data, text.size);
    t->held_size += text.size;
    t->tokens[t->count++] = (TakeBackToken){state, begin + text.size};
    if (!length) return 0;
    size_t out = begin + text.size - t->held_size; /* flushed bytes */
    size_t first = take_back_token_at(t, max_size(begin + read - length, out)),
           n = t->count - first;
    take_back_forget(t, first, answer[first]);
    return n;
}

/* Tokens that are banned next: their logits (vocab) become -infinity. */
static void take_back_mask(const TakeBack *t, float *logits, size_t vocab) {
    for (size_t i = 0; i < t->n_bans; i++)
        if (t->bans[i].position == t->count && (size_t)t->bans[i].token < vocab)
            logits[t->bans[i].token] = -INFINITY;
}

/* Bytes of whole tokens before what may become a banned text. */
static size_t safe_bytes(const TakeBack *t) {
    const TakeBackToken *last = &t->tokens[t->count - 1];
    size_t depth = t->stops.count ? t->stops.states[last->state].depth : 0,
           safe = last->end - depth, begin = last->end - t->held_size, end = begin;
    for (size_t i = t->count; i > 0 && t->tokens[i - 1].end > begin; i--)
        if (t->tokens[i - 1].end <= safe) {
            end = t->tokens[i - 1].end;
            break;
        }
    return end - begin;
}

Text take_back_ready(const TakeBack *t, bool all) {
    size_t n = all ? t->held_size : t->count ? safe_bytes(t) : 0;
    return (Text){t->held_size ? t->held : "", n};
}

void take_back_let_go(TakeBack *t, size_t bytes) {
    if (bytes) memmove(t->held, t->held + bytes, t->held_size - bytes);
    t->held_size -= bytes;
}

/* ------------------------------------------------------------------ the extra; count: bytes
 * to flush */

static bool take_back_begin(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    (void)e, (void)fault;
    REQUIRE(s->options.chain, "banned texts need a chain");
    EACH_EXTRA(other, s, text)
    REQUIRE(other == x, "banned texts do not go with token healing");
    EACH_EXTRA(other, s, take)
    REQUIRE(!other, "banned texts do not go with drafts");
    return true;
}

static void take_back_choose(Extra *x, Sequence *s, float *logits) {
    take_back_mask(x->wish, logits, s->candidates->vocab);
}

static void take_back_flush(Extra *x) {
    take_back_let_go(x->wish, x->count);
    x->count = 0;
}

/* If the token completes a banned text, roll back the whole text. */
static bool take_back_text(Extra *x, Sequence *s, Text *text) {
    TakeBack *t = x->wish;
    take_back_flush(x);
    size_t n = take_back_push(t, *text, s->tokens->ids + s->result.prompt_tokens);
    if (!n) {
        *text = take_back_ready(t, false);
        x->count = text->size;
        return true;
    }
    s->tokens->count -= n, s->result.tokens -= n;
    chain_rewind(s->options.chain, n);
    if (t->on_taken_back) t->on_taken_back(t->context, n);
    if (t->times <= TAKE_BACK_TIMES) return false;
    fault_set(&s->fault,
              "a banned text was rolled back %d times: the chain allows nothing else",
              TAKE_BACK_TIMES);
    s->dead_end = true;
    sequence_fail(s);
    return false;
}

/* No banned text can be completed any more: flush what is pending. */
static void take_back_end(Extra *x, Sequence *s, StopReason *reason) {
    if (*reason == STOP_STRING) return;
    take_back_flush(x);
    Text rest = take_back_ready(x->wish, true);
    if (s->options.stream && !stream_push(s->options.stream, rest)) *reason = STOP_STRING;
    take_back_let_go(x->wish, rest.size);
}

/* Rewind the KV caches; the last remaining token is evaluated again. */
static void take_back_unread(Extra *x, Sequence *s) {
    (void)x;
    for (const Slot *r = s->slot; s->live && r < s->slot + s->n_slots; r++)
        if (session_length(r->session, r->id) >= slot_total(s, r))
            session_rewind(r->session, r->id, slot_total(s, r) - 1);
}

static const ExtraKind take_back_kind = {.open = take_back_begin,
                                         .choose = take_back_choose,
                                         .text = take_back_text,
                                         .end = take_back_end,
                                         .taken = take_back_unread};

void with_take_back(GenerateOptions *o, TakeBack *t) {
    generate_with(o, (Extra){.kind = &take_back_kind, .wish = t});
}
