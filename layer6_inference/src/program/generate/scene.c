/* scene.c - opening and closing what strata generate needs.  See scene.h. */
#include "input.h"
#include "listing.h"
#include "scene.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLES_AT_ONCE = 8, LOOK_AHEAD_FORKS = 3 };

static const Stage *find_stage(const Chain *chain, const char *name) {
    for (size_t i = 0; i < chain->count; i++)
        if (strcmp(chain->stages[i].kind->name, name) == 0 && !stage_is_off(&chain->stages[i]))
            return &chain->stages[i];
    return NULL;
}

/* An Asked: options by the command line, all other names by the chain. */
static bool asked_for(const void *context, const char *name) {
    const Scene *s = context;
    return name[0] == '-' ? command_line_has(s->request->line, name)
                          : find_stage(&s->chain, name) != NULL;
}

static bool wants(const Chain *chain, bool look_ahead) {
    for (size_t i = 0; i < chain->count; i++) {
        const StageKind *kind = chain->stages[i].kind;
        if ((look_ahead ? kind->needs_look_ahead : kind->needs_unconditional) &&
            !stage_is_off(&chain->stages[i]))
            return true;
    }
    return false;
}

/* What cfg moves away from, in tokens. */
static bool read_negative(Scene *s, Fault *fault) {
    const char *text = s->request->negative ? s->request->negative : "";
    if (!wants(&s->chain, false)) return true;
    return speaker_read(&s->expert, text_of(text), false, &s->negative, fault) &&
           (s->negative.count ||
            fault_set(fault, "this model's texts begin with no token of their own: give "
                             "a --negative text for cfg"));
}

static bool open_companions(Scene *s, Fault *fault) {
    const Request *r = s->request;
    size_t ctx = session_ctx(&s->expert.session), vocab = s->expert.model->sizes.vocab;
    if (r->amateur) {
        if (!speaker_open(&s->amateur, r->amateur, &r->machine, ctx, s->at_once, fault) ||
            !speaker_keeps_up(&s->amateur, "the amateur", &s->expert, fault))
            return false;
        if (s->amateur.model->sizes.vocab != vocab)
            return fault_set(fault,
                             "the amateur has %zu tokens, the model %zu: they must share "
                             "a vocabulary",
                             s->amateur.model->sizes.vocab, vocab);
    }
    return !r->draft ||
           (speaker_open(&s->draft, r->draft, &r->machine, ctx, s->at_once, fault) &&
            speaker_keeps_up(&s->draft, "the draft", &s->expert, fault));
}

/* Numbers whose range depends on the model, and texts that may not be empty. */
static bool check_request(const Request *r, const ModelSizes *sizes, Fault *fault) {
    if (r->ctx &&
        ((size_t)r->ctx > sizes->ctx || (r->ctx % KV_PAGE && (size_t)r->ctx != sizes->ctx)))
        return fault_set(fault,
                         "--ctx is %ld: wanted a multiple of %d, at most %zu, the model's",
                         r->ctx, KV_PAGE, sizes->ctx);
    if (r->logprobs > (long)sizes->vocab)
        return fault_set(fault, "--logprobs is %ld: the model has %zu tokens", r->logprobs,
                         sizes->vocab);
    if (r->stop_ids && !*r->stop_ids)
        return fault_set(fault, "--stop-ids is empty: wanted tokens to end before, as 5,17");
    for (size_t i = 0; i < r->stops.count; i++)
        if (!*r->stops.items[i])
            return fault_set(fault, "a --stop is empty: wanted a text to end before");
    return true;
}

/* Text waits on standard input.  A pipe that stays empty is not waited for: whoever started the
 * program may have left it open. */
static bool input_waits(void) {
    struct stat status;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (fstat(STDIN_FILENO, &status) != 0) return false;
    if (S_ISREG(status.st_mode)) return status.st_size > 0;
    return S_ISFIFO(status.st_mode) && poll(&in, 1, 0) == 1 && (in.revents & POLLIN);
}

static bool read_input(Scene *s, Fault *fault) {
    size_t size;
    s->prompt = text_of(s->request->prompt);
    if (!s->request->quiet && !command_line_has(s->request->line, "-p") && input_waits())
        fprintf(stderr, "[standard input is not read: -p - makes it the prompt]\n");
    if (strcmp(s->request->prompt, "-") != 0) return true;
    if (!(s->input = read_standard_input(&size, fault))) return false;
    if (size && s->input[size - 1] == '\n') size--;
    s->prompt = (Text){s->input, size};
    return true;
}

/* The prompt's tokens, up to where the text goes on. */
static bool read_prompt(Scene *s, Fault *fault) {
    const Request *r = s->request;
    const Tokenizer *t = s->expert.model->tokenizer;
    if (!read_input(s, fault)) return false;
    ChatTurn turn = {text_of("user"), s->prompt};
    if (s->prompt.size == 0)
        return fault_set(fault, "the prompt is empty: give the model something to continue, -p "
                                "\"Once upon a time\"");
    if (r->chat) {
        tokenizer_begin(t, &s->tokens);
        if (!chat_encode(t, &turn, 1, &s->tokens, fault)) return false;
    } else if (!speaker_read(&s->expert, s->prompt, r->special, &s->tokens, fault)) {
        return false;
    }
    return generate_check_prompt(&s->expert.session, &s->tokens, fault) &&
           (!r->heal || heal_prompt(&s->heal, t, &s->tokens, fault));
}

static bool open_trace(Scene *s, Fault *fault) {
    const Request *r = s->request;
    const Model *model = s->expert.model;
    if (!table_begin(&s->trace_file, r->trace, fault)) return false;
    if (!trace_open(&s->trace, s->trace_file.stream, model->sizes.vocab, model->tokenizer,
                    fault))
        return false;
    s->trace.most = (size_t)r->trace_most;
    trace_watch(&s->trace, &s->chain);
    return true;
}

/* Sequences of the session: of each sample one, with cfg another; of each beam two; and some to look
 * ahead in. */
static size_t count_sequences(Scene *s) {
    const Request *r = s->request;
    const size_t most = (size_t)r->best_of;
    s->at_once = most > SAMPLES_AT_ONCE ? SAMPLES_AT_ONCE : most ? most : 1;
    if (r->trace) s->at_once = 1; /* it follows one text after another */
    if (r->beams) return 2 * (size_t)r->beams;
    return s->at_once * (wants(&s->chain, false) ? 2 : 1) +
           (wants(&s->chain, true) ? LOOK_AHEAD_FORKS : 0);
}

bool scene_open(Scene *s, Fault *fault) {
    const Request *r = s->request;
    if (!speaker_load(&s->expert, r->model, &r->machine, fault)) return false;
    const Model *model = s->expert.model;
    return check_request(r, &model->sizes, fault) &&
           chain_parse(&s->chain, r->chain, model->tokenizer, fault) &&
           rules_check(r->line->rules, asked_for, s, fault) &&
           speaker_begin(&s->expert, &r->machine, (size_t)r->ctx, count_sequences(s), fault) &&
           stops_open(&s->stops, r->stops.items, r->stops.count, fault) &&
           (!r->stop_ids ||
            list_read_ids(r->stop_ids, model->sizes.vocab, &s->stop_ids, fault)) &&
           read_prompt(s, fault) && read_negative(s, fault) && open_companions(s, fault) &&
           (!r->trace || open_trace(s, fault));
}

bool scene_close(Scene *s, Fault *fault) {
    chain_close(&s->chain);
    stops_close(&s->stops);
    trace_close(&s->trace);
    bool ok = file_end(&s->trace_file, fault);
    token_list_free(&s->tokens), token_list_free(&s->negative), token_list_free(&s->stop_ids);
    heal_free(&s->heal), free(s->input);
    if (s->amateur.model) speaker_close(&s->amateur);
    if (s->draft.model) speaker_close(&s->draft);
    if (s->expert.model) speaker_close(&s->expert);
    return ok;
}
