/* app.c - opening and closing what strata generate needs.  See app.h. */
#include "commands.h"
#include "input.h"
#include "listing.h"
#include "app.h"
#include "calls/write.h"
#include "draft_head.h"
#include "layer_skip.h"
#include "nearest.h"
#include "session_probe.h"
#include "tokenizers.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLES_AT_ONCE = 8, LOOK_AHEAD_FORKS = 3 };

/* The negative prompt of cfg. */
static bool read_negative(GenerateApp *app, Fault *fault) {
    const char *text = app->request->negative ? app->request->negative : "";
    if (!chain_needs(&app->chain, NEEDS_GUIDE)) return true;
    return loaded_tokenize(&app->expert, text_of(text), false, &app->negative, fault) &&
           (app->negative.count ||
            fault_set(
                fault,
                "cfg: this model has no begin-of-sequence token: give a --negative text"));
}

static const char skip_name[] = "skip:";

static bool skips_layers(const char *draft) {
    return strncmp(draft, skip_name, sizeof skip_name - 1) == 0;
}

/* A mistyped kind was taken for a file. */
static bool suggest_draft(const char *draft, Fault *fault) {
    char hint[64];
    nearest_hint(hint, sizeof hint, text_of(draft), "lookup, suffix, jacobi, head, skip:1");
    if (*hint && access(draft, F_OK) != 0)
        fault_set(fault, "--draft %.40s: no such kind, and no such file%s", draft, hint);
    return false;
}

/* The draft's model: the model's own head, its own blocks without some, a head in a file, or a
 * model.  An assistant needs keys of all heads of the model's session, which is opened next. */
static bool open_draft_model(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    LoadedModel *draft = &app->draft;
    if (app_draft_kind(r) != &draft_model) return true;
    if (strcmp(r->draft, "head") == 0) {
        if (!draft_head_open(&app->head, app->expert.model, fault)) return false;
        draft->model = &app->head;
    } else if (skips_layers(r->draft)) {
        if (!layer_skip_open(&app->skipping, app->expert.model, r->draft + sizeof skip_name - 1,
                             fault))
            return fault_prefix(fault, "--draft skip");
        draft->model = &app->skipping;
    } else {
        if (!loaded_open_model(draft, r->draft, &r->compute, fault))
            return suggest_draft(r->draft, fault);
        if (draft_head_is(draft->model)
                ? !draft_head_fit(&draft->own, app->expert.model, fault)
                : !model_shares_vocabulary(app->expert.model, draft->model, "the draft", fault))
            return fault_prefix(fault, r->draft);
    }
    if (assistant_is(draft->model)) session_expect_probe(true);
    return true;
}

static bool open_companions(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    size_t ctx = session_ctx(&app->expert.session);
    if (r->amateur) {
        if (!loaded_open(&app->amateur, r->amateur, &r->compute, ctx, app->at_once, fault) ||
            !loaded_check_ctx(&app->amateur, "the amateur", &app->expert, fault))
            return false;
        if (!model_shares_vocabulary(app->expert.model, app->amateur.model, "the amateur",
                                     fault))
            return false;
    }
    if (r->early_layers &&
        !early_layers_open(&app->early_layers, &app->expert.session, r->early_layers, fault))
        return fault_prefix(fault, "--early-layers");
    return !app->draft.model ||
           (loaded_open_session(&app->draft, &r->compute, ctx, app->at_once, fault) &&
            loaded_check_ctx(&app->draft, "the draft", &app->expert, fault));
}

/* Numbers whose range depends on the model, and empty strings. */
static bool check_request(const Request *r, const ModelSizes *sizes, Fault *fault) {
    if ((size_t)r->ctx > sizes->ctx)
        return fault_set(fault, "--ctx is %ld: wanted at most %zu, the model's", r->ctx,
                         sizes->ctx);
    if (r->logprobs > (long)sizes->vocab)
        return fault_set(fault, "--logprobs is %ld: wanted at most %zu, the vocabulary",
                         r->logprobs, sizes->vocab);
    if (r->stop_ids && !*r->stop_ids)
        return fault_set(fault, "--stop-ids is empty: wanted token ids, e.g. 5,17");
    for (size_t i = 0; i < r->stops.count; i++)
        if (!*r->stops.items[i]) return fault_set(fault, "--stop is empty: wanted a string");
    return true;
}

/* Is there text on standard input?  An empty pipe is not waited for: the caller may have
 * left it open. */
static bool input_waits(void) {
    struct stat status;
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    if (fstat(STDIN_FILENO, &status) != 0) return false;
    if (S_ISREG(status.st_mode)) return status.st_size > 0;
    return S_ISFIFO(status.st_mode) && poll(&in, 1, 0) == 1 && (in.revents & POLLIN);
}

static void choose_prompt(GenerateApp *app) {
    if (!app->request->quiet && !option_given("-p") && input_waits())
        fprintf(stderr, "[standard input is ignored; -p - makes it the prompt]\n");
    app->prompt = text_of(app->request->prefix ? app->request->prefix : app->request->prompt);
}

/* The tokens that ask for the text in the middle; its end tokens stop the run. */
static bool encode_fill(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    const Tokenizer *t = app->expert.model->tokenizer;
    Fault why;
    tokenizer_begin(t, &app->tokens);
    return tokenizer_fill(t, app->prompt, text_of(r->suffix), &app->tokens, &app->stop_ids,
                          &why) ||
           fault_set(fault,
                     "%s cannot fill in the middle: %s: use a model trained for it, as most "
                     "code models are, or continue a text with -p",
                     r->model, why.text);
}

static bool encode_prompt(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    if (r->prefix) return encode_fill(app, fault);
    if (app->prompt.size == 0)
        return fault_set(
            fault,
            "empty prompt: give the model something to continue, e.g. -p \"Once upon a time\"");
    if (r->chat)
        return loaded_encode_message(&app->expert, app->prompt, &app->seen, &app->tokens,
                                     fault);
    return loaded_tokenize_shown(&app->expert, app->prompt, &app->seen, r->special,
                                 &app->tokens, fault);
}

static bool read_prompt(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    const Tokenizer *t = app->expert.model->tokenizer;
    if (r->heal && model_extras(app->expert.model)->encoder)
        return fault_set(fault, "--heal: the output of a %s model does not continue its input",
                         app->expert.model->recipe->arch);
    choose_prompt(app);
    return encode_prompt(app, fault) &&
           generate_check_prompt(&app->expert.session, &app->tokens, r->shift, fault) &&
           (!r->heal || heal_prompt(&app->heal, t, &app->tokens, fault));
}

static bool open_trace(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    const Model *model = app->expert.model;
    if (!table_begin(&app->trace_file, r->trace, fault)) return false;
    if (!trace_open(&app->trace, app->trace_file.stream, model->sizes.vocab, model->tokenizer,
                    fault))
        return false;
    app->trace.max_rows = (size_t)r->trace_rows;
    trace_observe(&app->trace, &app->chain);
    return true;
}

/* Sequences of the session: one per sample, another one with cfg, those of leaves; one per beam
 * or particle; one more than distinct texts; a text and a proposal, or
 * the next one; and forks to look ahead. */
static size_t count_sequences(GenerateApp *app) {
    const Request *r = app->request;
    const size_t n = (size_t)r->best_of;
    app->at_once = n > SAMPLES_AT_ONCE ? SAMPLES_AT_ONCE : n ? n : 1;
    if (r->trace) app->at_once = 1; /* a trace follows one text after another */
    if (r->beams || r->particles) return (size_t)(r->beams ? r->beams : r->particles);
    if (r->distinct) return (size_t)r->distinct + 1;
    if (r->power > 0 || r->aligned) return 2;
    return app->at_once * ((chain_needs(&app->chain, NEEDS_GUIDE) ? 2 : 1) +
                           (size_t)(r->guess * r->leaves)) +
           (chain_needs(&app->chain, NEEDS_LOOK_AHEAD) ? LOOK_AHEAD_FORKS : 0);
}

const DraftKind *app_draft_kind(const Request *r) {
    const DraftKind *kind = r->draft ? draft_find(r->draft) : NULL;
    return kind && kind->draft && kind != &draft_forced ? kind : r->draft ? &draft_model : NULL;
}

bool app_may_force(const GenerateApp *app) {
    const Request *r = app->request;
    bool forced = false;
    for (size_t i = 0; i < app->chain.count; i++)
        forced = forced || app->chain.stages[i].kind->forced;
    return forced && !chain_needs(&app->chain, NEEDS_LOOK_AHEAD | NEEDS_GUIDE) &&
           !r->no_forced && !r->shift && !r->draft && !r->amateur && !r->early_layers &&
           !r->heal;
}

/* The chain, with the stage in front that --grammar, --schema, --tags or --regex stands for.
 * A pattern that begins with @ is not a file: \x40 is the same character. */
static bool read_chain(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    const char *name = r->grammar  ? "grammar:%40"
                       : r->schema ? "json_schema:%40"
                       : r->tags   ? "tags:%40"
                                   : "regex:",
               *text = r->grammar  ? r->grammar
                       : r->schema ? r->schema
                       : r->tags   ? r->tags
                                   : r->regex;
    const Tokenizer *tokenizer = app->expert.model->tokenizer;
    /* beams select by themselves; the others draw from the model */
    bool draws = r->particles || r->aligned || r->power > 0;
    const char *chain = r->beams ? "greedy" : draws ? "draw" : r->chain;
    if (!text) return chain_parse(&app->chain, chain, tokenizer, fault);
    if (!*text)
        return fault_set(fault, "%s is empty", r->regex ? "--regex" : "the file's name");
    char *spec = NULL;
    size_t size;
    FILE *memory = open_memstream(&spec, &size);
    if (!memory) return fault_set(fault, "no memory for a chain");
    bool at = r->regex && *text == '@';
    fprintf(memory, "%s%s", name, at ? "%5Cx40" : "");
    list_encoded(memory, text_of(text + at));
    fprintf(memory, ",%s", chain);
    bool ok = memory_close(memory, &spec) ? chain_parse(&app->chain, spec, tokenizer, fault)
                                          : fault_set(fault, "no memory for a chain");
    free(spec);
    return ok;
}

/* The vision encoder and the prompt's images. */
static bool open_pictures(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    bool ok = pictures_open(&app->pictures, &r->vision, r->images.count, &app->expert.session,
                            r->compute.pool, fault);
    app->seen.of = &app->pictures;
    for (size_t i = 0; ok && i < r->images.count; i++)
        ok = shown_add_file(&app->seen, r->images.items[i], fault);
    return ok;
}

bool app_open(GenerateApp *app, Fault *fault) {
    const Request *r = app->request;
    if (r->draft)
        app->expert.rewind = app->draft.rewind = app->amateur.rewind = (size_t)r->guess;
    if (!loaded_open_model(&app->expert, r->model, &r->compute, fault) ||
        !compute_adapt(&r->compute, &app->expert.own, fault))
        return false;
    const Model *model = app->expert.model;
    if (!check_request(r, &model->sizes, fault) || !choose_by_read(r->by, &app->by, fault) ||
        !read_chain(app, fault) ||
        !rules_check(command_generate.rules, chain_has, &app->chain, fault))
        return false;
    if (app_may_force(app)) app->expert.rewind = SPECULATE_MAX;
    steering_prepare(&app->steering);
    return open_draft_model(app, fault) &&
           loaded_open_session(&app->expert, &r->compute, (size_t)r->ctx, count_sequences(app),
                               fault) &&
           (!r->vision.mmproj || open_pictures(app, fault)) &&
           steering_open(&app->steering, &app->expert.session, fault) &&
           stops_open(&app->stops, r->stops.items, r->stops.count, fault) &&
           (!r->stop_ids ||
            list_read_ids(r->stop_ids, model->sizes.vocab, &app->stop_ids, fault) ||
            fault_prefix(fault, "--stop-ids")) &&
           read_prompt(app, fault) && read_negative(app, fault) &&
           open_companions(app, fault) && (!r->trace || open_trace(app, fault));
}

void app_close(GenerateApp *app) {
    chain_close(&app->chain);
    pictures_close(&app->pictures);
    stops_close(&app->stops);
    trace_close(&app->trace);
    file_drop(&app->trace_file);
    token_list_free(&app->tokens), token_list_free(&app->negative),
        token_list_free(&app->stop_ids);
    for (size_t i = 0; i < app->n_found; i++) token_list_free(&app->found[i]);
    free(app->found);
    heal_free(&app->heal), suffix_store_close(app->past);
    if (app->amateur.model) loaded_close(&app->amateur);
    if (app->draft.model) loaded_close(&app->draft);
    layer_skip_close(&app->skipping);
    early_layers_close(&app->early_layers);
    if (app->expert.model) loaded_close(&app->expert);
}
