/* search.c - see search.h. */
#include "search.h"

#include <math.h>

static void take_tokens(TokenList *to, const int32_t *ids, size_t n) {
    to->count = 0;
    for (size_t i = 0; i < n; i++) token_list_add(to, ids[i]);
}

bool search_beams(Speaker *speaker, const TokenList *prompt, const BeamOptions *options,
                  FILE *report, TokenList *best, Fault *fault) {
    BeamText texts[BEAM_MOST];
    size_t count;
    if (!beam_search(&speaker->session, prompt->ids, prompt->count, options, texts, &count,
                     fault))
        return false;
    for (size_t i = 0; report && i < count; i++)
        fprintf(report, "[beam %zu: score %.4f, ln p %.3f, %zu tokens, %s]\n", i + 1,
                texts[i].score, texts[i].log_prob, texts[i].tokens.count,
                texts[i].ended ? "ended" : "at the limit");
    if (count) take_tokens(best, texts[0].tokens.ids, texts[0].tokens.count);
    beam_free(texts, count);
    return true;
}

static bool add_log_prob(void *context, const Choice *choice) {
    double *sum = context;
    *sum += (double)choice->raw[choice->token] - log_sum_exp(choice->raw, choice->after->vocab);
    return true;
}

bool search_best_of(Speaker *speaker, const TokenList *prompt, GenerateOptions options,
                    size_t n, FILE *report, TokenList *best, GenerateResult *result,
                    Fault *fault) {
    double best_mean = -INFINITY, sum;
    TokenList tokens = {0};
    bool ok = true;
    options.stream = NULL, options.on_choice = add_log_prob, options.context = &sum;
    options.want_raw = true;
    for (size_t i = 0; ok && i < n; i++) {
        GenerateResult one;
        sum = 0;
        take_tokens(&tokens, prompt->ids, prompt->count);
        ok = generate(&speaker->session, &speaker->candidates, &tokens, &options, &one, fault);
        double mean = one.tokens ? sum / (double)one.tokens : -INFINITY;
        if (ok && report)
            fprintf(report, "[sample %zu, seed %llu: mean ln p %.4f, %zu tokens, %s]\n", i + 1,
                    (unsigned long long)options.seed, mean, one.tokens,
                    stop_reason_name(one.reason));
        if (ok && (i == 0 || mean > best_mean)) {
            best_mean = mean, *result = one;
            take_tokens(best, tokens.ids + one.prompt_tokens, one.tokens);
        }
        options.seed++;
        options.cached = prompt->count - 1;
    }
    token_list_free(&tokens);
    return ok;
}
