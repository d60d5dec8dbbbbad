/* continued.c - see continued.h. */
#include "continued.h"
#include "options.h"

bool continued_read(const RequestFields *fields, const Server *server, Prompts *p,
                    HttpError *error) {
    const JsonValue *v = fields->value[F_ANSWER_TOKENS];
    for (size_t i = 0; v && i < p->count; i++)
        if (!prompts_read_ids(v, "answer_tokens", server, &p->lists[i], error)) return false;
    return true;
}

bool continued_check(const RequestFields *fields, const Server *server, const Chain *chain,
                     HttpError *error) {
    static const char *const measuring[] = {"mirostat", "mirostat_v2", "adaptive_p",
                                            "arithmetic"};
    const Model *model = server->loaded.model;
    if (!fields->value[F_ANSWER_TOKENS]) return true;
    if (model_extras(model)->encoder)
        return http_error(error, 400, "answer_tokens",
                          "answer_tokens: not for a %s model, whose prompt is another text",
                          model->recipe->arch);
    if (fields->value[F_NEGATIVE])
        return http_error(error, 400, "answer_tokens",
                          "answer_tokens: does not go with negative");
    for (size_t i = 0; i < sizeof measuring / sizeof *measuring; i++)
        if (chain_has(chain, measuring[i]))
            return http_error(error, 400, "answer_tokens",
                              "answer_tokens: does not go with %s, which measures each token "
                              "when it is drawn",
                              measuring[i]);
    return true;
}

/* ------------------------------------------------------------------ the extra; count: 1 when
 * the stages know the tokens */

static bool continued_open(Extra *x, Engine *e, Sequence *s, Fault *fault) {
    (void)e, (void)fault;
    s->step.prompt_count -= *(const size_t *)x->wish;
    return true;
}

static void continued_choose(Extra *x, Sequence *s, float *logits) {
    const size_t begin = s->step.prompt_count, n = *(const size_t *)x->wish;
    (void)logits;
    for (size_t i = 0; !x->count && i < n; i++)
        chain_accept(s->options.chain, s->tokens->ids[begin + i]);
    x->count = 1;
}

static const ExtraKind continued_kind = {.open = continued_open, .choose = continued_choose};

void with_continued(GenerateOptions *o, const size_t *count) {
    if (*count) generate_with(o, (Extra){.kind = &continued_kind, .wish = (size_t *)count});
}
