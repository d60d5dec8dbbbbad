/* diffuse.c - strata diffuse: fills in masked positions with a diffusion model. */
#include "commands.h"
#include "input.h"
#include "listing.h"
#include "loaded_model.h"
#include "diffusion.h"

#include <stdlib.h>
#include <string.h>

static struct {
    const char *model, *prompt, *suffix, *chain_text, *remask, *trace;
    long length, steps, block; /* 0: not given */
    uint64_t seed;
    bool chat, special, no_prompt, show, quiet;
    ComputeOptions compute;
    /* opened so far */
    LoadedModel *loaded;
    Chain chain;
    TokenList tokens;
    size_t prompt_count;
    Diffusion text;
    FileOut trace_file;
} asked = {.prompt = "Once upon a time",
           .chain_text = "greedy",
           .remask = "confidence",
           .length = 64,
           .seed = 1};

/* ------------------------------------------------------------------ the masked sequence */

static bool diffuse_read_canvas(Fault *fault) {
    const LoadedModel *m = asked.loaded;
    const Tokenizer *t = m->model->tokenizer;
    bool ok =
        asked.chat
            ? loaded_encode_message(m, text_of(asked.prompt), &(Shown){0}, &asked.tokens, fault)
            : loaded_tokenize(m, text_of(asked.prompt), asked.special, &asked.tokens, fault);
    asked.prompt_count = asked.tokens.count;
    if (!ok || !token_list_reserve(&asked.tokens, (size_t)asked.length, fault)) return false;
    for (long i = 0; i < asked.length; i++) token_list_add(&asked.tokens, tokenizer_mask(t));
    return !asked.suffix ||
           tokenizer_encode(t, text_of(asked.suffix), asked.special, &asked.tokens, fault);
}

static bool open_diffusion(Fault *fault) {
    const Model *model = asked.loaded->model;
    size_t open = 0;
    DiffusionOptions options = {
        .block = (size_t)asked.block, .seed = asked.seed, .remask = REMASK_CONFIDENCE};
    if (!remask_read(asked.remask, &options.remask, fault) ||
        !chain_parse(&asked.chain, asked.chain_text, model->tokenizer, fault) ||
        !diffuse_read_canvas(fault))
        return false;
    for (size_t i = 0; i < asked.tokens.count; i++)
        open += asked.tokens.ids[i] == tokenizer_mask(model->tokenizer);
    options.steps = asked.steps ? (size_t)asked.steps : open;
    return diffusion_session(
               &asked.loaded->session, model, asked.compute.pool, asked.tokens.count,
               asked.block && open > (size_t)asked.block ? (size_t)asked.block : open,
               asked.compute.kv_format, fault) &&
           diffusion_open(&asked.text, &asked.loaded->session, &asked.chain, asked.tokens.ids,
                          asked.tokens.count, options, fault);
}

static bool open_canvas(Fault *fault) {
    return open_diffusion(fault) &&
           (!asked.trace || table_begin(&asked.trace_file, asked.trace, fault));
}

static void close_canvas(void) {
    diffusion_close(&asked.text);
    chain_close(&asked.chain);
    token_list_free(&asked.tokens);
    file_drop(&asked.trace_file);
}

/* ------------------------------------------------------------------ what is printed */

/* Text of positions begin to end, with an underscore for masked ones. */
static void print_places(size_t begin, size_t end, bool one_line) {
    const Diffusion *d = &asked.text;
    const Tokenizer *t = asked.loaded->model->tokenizer;
    bool first = tokenizer_space_prefix(t) && begin == 0;
    for (size_t i = begin; i < end; i++) {
        Text piece = tokenizer_piece(t, d->tokens[i], false);
        if (d->tokens[i] == tokenizer_mask(t)) piece = text_of("_");
        if (first && piece.size && piece.data[0] == ' ') piece.data++, piece.size--;
        first = first && piece.size == 0;
        if (one_line)
            utf8_print_escaped(stdout, piece);
        else
            fwrite(piece.data, 1, piece.size, stdout);
    }
    printf("\n");
}

static void show_step(void) {
    if (!asked.show) return;
    printf("%4zu  ", asked.text.step);
    print_places(asked.chat ? asked.prompt_count : 0, asked.text.count, true);
}

/* A row per filled position, in text order. */
static bool write_diffusion_trace(Fault *fault) {
    const Diffusion *d = &asked.text;
    if (!asked.trace) return true;
    FILE *out = asked.trace_file.stream;
    fprintf(out, "place,step,sure,token,text\n");
    for (size_t i = 0; i < d->count; i++) {
        if (!d->step_of[i]) continue;
        fprintf(out, "%zu,%d,%.6g,%d,", i, d->step_of[i], d->sure_of[i], d->tokens[i]);
        list_cell(out, tokenizer_piece(asked.loaded->model->tokenizer, d->tokens[i], true));
        fprintf(out, "\n");
    }
    return file_end(&asked.trace_file, fault);
}

static bool diffuse_model(LoadedModel *m, Fault *fault) {
    asked.loaded = m;
    bool ok = open_canvas(fault);
    double start = clock_seconds();
    while (ok && !diffusion_is_done(&asked.text)) {
        show_step();
        ok = diffusion_step(&asked.text, fault);
    }
    if (ok) {
        const Diffusion *d = &asked.text;
        show_step();
        if (asked.show) printf("\n");
        bool alone = asked.chat || asked.no_prompt;
        print_places(alone ? asked.prompt_count : 0,
                     asked.suffix && alone ? asked.prompt_count + (size_t)asked.length
                                           : diffusion_end(d),
                     false);
        if (!asked.quiet)
            fprintf(stderr, "[%ld places in %zu steps, %.2f s, %zu tokens read]\n",
                    asked.length, d->step, clock_seconds() - start, d->step * d->count);
        ok = write_diffusion_trace(fault);
    }
    close_canvas();
    return ok;
}

/* ------------------------------------------------------------------ options */

static const OptionRule diffuse_rules[] = {
    {"--suffix", NOT_WITH, "--chat", "nothing follows an answer"},
    {"--chat", NOT_WITH, "--special --no-prompt",
     "a chat message is plain text, and not printed"},
    {0},
};

static const Option diffuse_options[] = {
    {"-m", OPT_TEXT, &asked.model, "FILE", "a diffusion model, a GGUF file"},
    {"-p", OPT_PROMPT, &asked.prompt, "TEXT",
     "the text before the masked positions; -: stdin (\"Once upon a time\")"},
    {"--suffix", OPT_TEXT, &asked.suffix, "TEXT", "the text after them (empty)"},
    {"-n", OPT_INT(1, 1 << 20), &asked.length, "N", "masked positions (64)"},
    {"--steps", OPT_INT(1, 1 << 20), &asked.steps, "N",
     "forward passes; each fills an equal share of the positions (one per position)"},
    {"--block", OPT_INT(1, 1 << 20), &asked.block, "N",
     "fill N positions before the ones after them (all at once)"},
    {"--remask", OPT_TEXT, &asked.remask, "RULE",
     "which tokens to keep: confidence, margin, entropy or random (confidence)"},
    {"--chain", OPT_TEXT, &asked.chain_text, "SPEC",
     "the sampler chain for a position's token, e.g. temp:0.5 (greedy)"},
    {"--seed", OPT_SEED, &asked.seed, "N",
     "random seed; the same seed gives the same text (1)"},
    {"--show", OPT_FLAG, &asked.show, NULL,
     "print the text before every step, with an underscore for each masked position"},
    {"--trace", OPT_OUTPUT, &asked.trace, "FILE",
     "write when each token was filled in, and with what confidence, as CSV"},
    {"--chat", OPT_FLAG, &asked.chat, NULL,
     "treat the prompt as a user's message, in the model's chat format, and print the answer"},
    {"--special", OPT_FLAG, &asked.special, NULL,
     "parse special tokens in the texts, the mask token included"},
    {"--no-prompt", OPT_FLAG, &asked.no_prompt, NULL, "print only the filled-in text"},
    {"--quiet", OPT_FLAG, &asked.quiet, NULL, "no status line on stderr"},
    KV_OPTION(asked.compute),
    ADAPTER_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

static bool diffuse_run(Fault *fault) {
    return loaded_run(&asked.model, &asked.compute, diffuse_model, fault);
}

const Command command_diffuse = {
    .name = "diffuse",
    .usage = "diffuse [-m FILE] [-p TEXT] [options]",
    .about = "Fill in the masked positions of a text, the most confident ones first.\nThe text "
             "goes to stdout, a status line to stderr.",
    .options = diffuse_options,
    .rules = diffuse_rules,
    .run = diffuse_run};
