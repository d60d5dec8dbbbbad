/* watermark.c - strata watermark: detects a watermark in a text. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "watermark_detect.h"

#include <stdlib.h>

static struct {
    const char *model;
    double gamma;
    long key;
} asked = {.gamma = 0.25, .key = 15485863};

static bool watermark_run(Fault *fault) {
    size_t size;
    TokenList tokens = {0};
    Tokenizer *tokenizer = choose_tokenizer(&asked.model, TOKENS_AS_TRAINED, fault);
    char *text = tokenizer ? read_standard_input(&size, fault) : NULL;
    bool ok = text && tokenizer_encode(tokenizer, (Text){text, size}, false, &tokens, fault);
    if (ok) {
        Watermark mark = {(uint64_t)asked.key, asked.gamma};
        WatermarkFinding f = watermark_detect(&mark, tokens.ids, tokens.count);
        printf("tokens %zu, green %zu (%.1f %%, chance %.1f %%), z %.2f, probability by chance "
               "%.2g: %s\n",
               f.scored, f.green, f.scored ? 100.0 * (double)f.green / (double)f.scored : 0.0,
               100 * asked.gamma, f.z, f.chance,
               f.chance < 3e-5 ? "marked" : "no sign of the watermark");
    }
    token_list_free(&tokens);
    free(text);
    tokenizer_close(tokenizer);
    return ok;
}

static const Option watermark_options[] = {
    {"-m", OPT_TEXT, &asked.model, "FILE",
     "the model whose tokenizer to use (the built-in storyteller)"},
    {"--gamma", OPT_REAL(0.01, 0.99), &asked.gamma, "G", "share of green tokens (0.25)"},
    {"--key", OPT_INT(0, 9e18), &asked.key, "N", "the secret key (15485863)"},
    {0},
};

const Command command_watermark = {.name = "watermark",
                                   .usage = "watermark [-m FILE] [options] < TEXT",
                                   .about =
                                       "Detect the watermark of the stage watermark in a text.",
                                   .options = watermark_options,
                                   .run = watermark_run};
