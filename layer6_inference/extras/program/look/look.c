/* look.c - strata look: what happens to a text inside the model. */
#include "commands.h"
#include "look.h"
#include "session_probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool (*show)(Look *look, Fault *fault); /* NULL: look_owner */
} looks[] = {{"attention", look_attention}, {"picture", look_picture}, {"lens", look_lens},
             {"stream", look_stream},       {"heads", look_heads},     {"owner", NULL}};

/* "1.3" to two numbers. */
static bool look_read_pair(const char *option, const char *text, size_t *a, size_t *b,
                           Fault *fault) {
    char *end, *last;
    bool digits = strspn(text, ".0123456789") == strlen(text) && *text != '.';
    *a = (size_t)strtoull(text, &end, 10);
    if (!digits || *end != '.' || !end[1])
        return fault_set(fault, "%s is '%.40s': wanted two numbers, 1.3", option, text);
    *b = (size_t)strtoull(end + 1, &last, 10);
    return !*last || fault_set(fault, "%s is '%.40s': wanted two numbers, 1.3", option, text);
}

/* Patch the stream of --from, after a layer at a position, into the prompt. */
static bool add_patch(Look *look, const TokenList *from, Fault *fault) {
    size_t layer, position, dim = look->cache.dim;
    if (!look_read_pair("--patch", look->job->patch, &layer, &position, fault)) return false;
    size_t least = from->count < look->tokens->count ? from->count : look->tokens->count;
    if (layer >= look->cache.layers || position >= least)
        return fault_set(fault,
                         "--patch %s: wanted LAYER.POSITION with layer 0 to %zu and position 0 "
                         "to %zu, within both texts",
                         look->job->patch, look->cache.layers - 1, least - 1);
    if (!activation_watch(&look->cache, look->acts.acts, look->acts.count, fault) ||
        !session_eval(look->cache.session, from->ids, from->count, false, fault))
        return false;
    if (look->acts.count == INTERVENTIONS || !(look->row = malloc(dim * sizeof(float))))
        return fault_set(fault, "no room for a patch");
    memcpy(look->row, activation_stream(&look->cache, 2 * layer + 2, position),
           dim * sizeof(float));
    look->acts.acts[look->acts.count++] =
        (Act){.kind = ACT_PATCH, .layer = layer, .index = position, .row = look->row};
    return true;
}

static bool choose_head(Look *look, Fault *fault) {
    const Model *m = look->cache.session->model;
    look->layer = ACT_ALL;
    if (!look->job->head) return true;
    if (!look_read_pair("--head", look->job->head, &look->layer, &look->head, fault))
        return false;
    if (look->layer < m->sizes.layers && m->blocks[look->layer].attention.o.w.data &&
        look->head < m->blocks[look->layer].attention.shape.heads)
        return true;
    return fault_set(fault, "--head %s: the model has %zu layers, of %zu heads at most",
                     look->job->head, m->sizes.layers, look->cache.heads);
}

/* Where heads are looked at there must be some; to be silenced they need only bring
 * something. */
static bool has_heads(const LookJob *job, const Model *m, size_t which, Fault *fault) {
    const char *name = looks[which].name;
    bool found = strcmp(name, "lens") == 0 || strcmp(name, "stream") == 0;
    for (size_t l = 0; l < m->sizes.layers; l++) {
        const Attention *a = &m->blocks[l].attention;
        found |= (strcmp(name, "heads") == 0 ? a->o.w.data : a->q.w.data) != NULL;
    }
    return found ||
           fault_set(
               fault,
               "%.200s has no attention heads: use strata look lens or strata look stream",
               job->model);
}

/* Every number of the stream, after a text was read. */
static bool is_finite(const Look *look, size_t tokens, Fault *fault) {
    const ActivationCache *g = &look->cache;
    for (size_t place = 0; place <= 2 * g->layers; place++)
        for (size_t i = 0; i < tokens * g->dim; i++)
            if (!isfinite(activation_stream(g, place, i / g->dim)[i % g->dim]))
                return fault_set(fault,
                                 "layer %zu, token %zu: the residual stream is not finite: the "
                                 "model file may be damaged",
                                 place ? (place - 1) / 2 : 0, i / g->dim);
    return true;
}

/* What is read: the prompt with its images, and the text of a patch. */
typedef struct LookTexts {
    TokenList tokens, from;
    Pictures pictures;
    Shown shown;
} LookTexts;

static bool look_show(const LookJob *job, size_t which, LoadedModel *m, const LookTexts *texts,
                      Fault *fault) {
    const TokenList *tokens = &texts->tokens;
    Look look = {
        .job = job, .tokenizer = m->model->tokenizer, .tokens = tokens, .shown = &texts->shown};
    look.acts = job->steering.list;
    look.position = job->position < 0 ? tokens->count - 1 : (size_t)job->position;
    if (look.position >= tokens->count)
        return fault_set(fault, "--position %zu: the text has %zu tokens, counted from 0",
                         look.position, tokens->count);
    bool ok = activation_open(&look.cache, &m->session,
                              max_size(tokens->count, texts->from.count), fault) &&
              choose_head(&look, fault) &&
              (!job->patch || add_patch(&look, &texts->from, fault)) &&
              activation_watch(&look.cache, look.acts.acts, look.acts.count, fault) &&
              session_eval(&m->session, tokens->ids, tokens->count, false, fault) &&
              is_finite(&look, tokens->count, fault) && looks[which].show(&look, fault);
    activation_close(&look.cache);
    free(look.row);
    return ok;
}

/* The images' rows are lent to a session, so it comes before their tokens. */
static bool look_open_images(const LookJob *job, LoadedModel *m, LookTexts *t, Fault *fault) {
    const size_t most = m->model->sizes.ctx;
    if ((size_t)job->ctx > most)
        return fault_set(fault, "--ctx is %ld: wanted at most %zu, the model's", job->ctx,
                         most);
    bool ok = loaded_open_session(m, &job->compute, (size_t)job->ctx, 1, fault) &&
              pictures_open(&t->pictures, &job->vision, job->images.count, &m->session,
                            job->compute.pool, fault);
    t->shown.of = &t->pictures;
    for (size_t i = 0; ok && i < job->images.count; i++)
        ok = shown_add_file(&t->shown, job->images.items[i], fault);
    return ok;
}

/* Without images the session is as long as the texts. */
static bool look_read(const LookJob *job, LoadedModel *m, LookTexts *t, Fault *fault) {
    const bool images = job->images.count > 0;
    if (images && !look_open_images(job, m, t, fault)) return false;
    if (!loaded_tokenize_shown(m, text_of(job->prompt), &t->shown, true, &t->tokens, fault) ||
        (job->from && !loaded_tokenize(m, text_of(job->from), true, &t->from, fault)))
        return false;
    const size_t most = max_size(t->tokens.count, t->from.count),
                 room = images ? session_ctx(&m->session) : m->model->sizes.ctx;
    if (t->tokens.count == 0 || most > room)
        return fault_set(fault, "a text of %zu tokens: the %s 1 to %zu%s", most,
                         images ? "context has" : "model reads", room,
                         images ? ": make it longer (--ctx)" : "");
    return images || loaded_open_session(m, &job->compute, most, 1, fault);
}

static bool look_at_text(LookJob *job, size_t which, LoadedModel *m, Fault *fault) {
    LookTexts texts = {0};
    bool ok = look_read(job, m, &texts, fault) &&
              steering_open(&job->steering, &m->session, fault) &&
              look_show(job, which, m, &texts, fault);
    token_list_free(&texts.tokens), token_list_free(&texts.from);
    shown_release(&texts.shown), pictures_close(&texts.pictures);
    return ok;
}

static LookJob asked = {
    .prompt = "Once upon a time there was a", .documents = 300, .position = -1, .top = 5};

static bool look_model(LoadedModel *m, Fault *fault) {
    LookJob *job = &asked;
    size_t which = 0;
    while (strcmp(job->what, looks[which].name) != 0) which++;
    if (!has_heads(job, m->model, which, fault)) return false;
    if (model_extras(m->model)->streams && strcmp(looks[which].name, "lens") == 0)
        return fault_set(
            fault,
            "a %s model keeps %zu streams until the last layer: a logit lens cannot read them",
            m->model->recipe->arch, model_extras(m->model)->streams);
    return looks[which].show ? look_at_text(job, which, m, fault) : look_owner(m, job, fault);
}

static const OptionRule look_rules[] = {
    {"--patch", NEEDS, "--from", "the text that the patch comes from"},
    {"--from", NEEDS, "--patch", "where to patch: LAYER.POSITION"},
    {"--head", NEEDS, "attention picture", "the others show all heads or none"},
    {"picture", NEEDS, "--image", "it shows where on an image a text looks"},
    IMAGE_RULE,
    VISION_RULES,
    {"--mmproj --ctx", NEEDS, "--image", "a text alone needs neither"},
    {"--out", NEEDS, "picture", "the others draw no image"},
    {"--top", NEEDS, "attention lens", "the others list everything"},
    {"--documents", NEEDS, "owner", "the others show one text"},
    {"owner", NOT_WITH,
     "-p --position --from --image --scale-head --scale-layer --scale-neuron --attention-temp",
     "it reads stories of the world and removes heads itself"},
    {"stream", NOT_WITH, "--position", "it shows all positions"},
    {0},
};

static const Option look_options[] = {
    MODEL_OPTION(asked.model),
    {"-p", OPT_PROMPT, &asked.prompt, "TEXT",
     "the text; -: stdin (\"Once upon a time there was a\")"},
    {"--head", OPT_TEXT, &asked.head, "L.H",
     "attention, picture: one head (attention: all heads for one token; picture: their mean)"},
    {"--position", OPT_INT(0, OPTION_MANY), &asked.position, "N",
     "the token to look at, counted from 0 (the last)"},
    {"--top", OPT_INT(1, OPTION_MANY), &asked.top, "N",
     "attention, lens: number of entries to list (5)"},
    {"--from", OPT_TEXT, &asked.from, "TEXT",
     "patch in the residual stream of this other text"},
    {"--patch", OPT_TEXT, &asked.patch, "L.N", "where to patch: after layer L, at token N"},
    {"--documents", OPT_INT(1, OPTION_MANY), &asked.documents, "N",
     "owner: number of held-out stories (300)"},
    {"--csv", OPT_FLAG, &asked.csv, NULL, "print every number, as CSV"},
    {"--image", OPT_LIST, &asked.images, "FILE",
     "an image (PNG, JPEG, PPM), inserted at " PICTURE_MARK " or before the text; repeatable"},
    VISION_OPTIONS(asked.vision),
    {"--ctx", OPT_INT(1, OPTION_MANY), &asked.ctx, "N",
     "context size of a text with images (the model's, at most 4096)"},
    {"--out", OPT_OUTPUT, &asked.out, "FILE",
     "picture: write what the encoder sees, bright where the token looks (PPM)"},
    STEERING_OPTIONS(asked.steering),
    KV_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool look_run(Fault *fault) {
    session_expect_probe(true);
    return loaded_run(&asked.model, &asked.compute, look_model, fault);
}

const Command command_look = {
    .name = "look",
    .usage = "look attention|picture|lens|stream|heads|owner [-p TEXT] [options]",
    .about =
        "Show what happens to a text inside the model.\n"
        "\n"
        "  attention   which tokens each head attends to\n"
        "  picture     where on an image each token after it looks: a grid over the image\n"
        "  lens        logit lens: what the model would predict after each layer\n"
        "  stream      size of the residual stream at each token and layer\n"
        "  heads       effect of every head on the next token: each is removed in turn\n"
        "  owner       which heads carry an owner's name to where it is needed, over "
        "stories of Tiny World",
    .options = look_options,
    .rules = look_rules,
    .words = &asked.what,
    .min_words = 1,
    .max_words = 1,
    .has_kinds = true,
    .run = look_run};
