/* generate.c - strata generate: its options.  What they lead to is in app.h. */
#include "commands.h"
#include "app.h"
#include "beam.h"

#include <stdlib.h>

static const OptionRule generate_rules[] = {
    {"--grammar", NOT_WITH, "--schema --tags --regex",
     "a text obeys one of them: more are stages of --chain"},
    {"--tags", NOT_WITH, "--regex", "a text obeys one of them: more are stages of --chain"},
    {"--schema", NOT_WITH, "--tags --regex",
     "a text obeys one of them: more are stages of --chain"},
    {"--beams", NOT_WITH, "--chain --seed",
     "beam search looks for the likeliest texts and draws none"},
    {"--beams", NOT_WITH, "--best-of", "each is a way to choose among texts: take one"},
    {"--beams", NOT_WITH, "--logprobs --trace", "these follow one text: leave out --beams"},
    {"--beams", NOT_WITH, "--draft --draft-head --lookup --no-forced",
     "beams are read in one batch already"},
    {"--beam-groups", NEEDS, "--beams", "give the number of beams, too"},
    {"--beam-groups", NEEDS, "--beam-diversity",
     "groups that do not avoid each other find the same texts"},
    {"--beam-diversity", NEEDS, "--beam-groups", "it keeps groups apart"},
    {"--length-power", NEEDS, "--beams", "it scores the texts of beam search"},
    {"--early", NEEDS, "--beams", "it ends beam search"},
    {"--best-of", NOT_WITH, "--logprobs",
     "run the best one alone, with --seed and the seed that was printed"},
    {"--best-of", NOT_WITH, "greedy", "all samples would be one text: draw them"},
    {"--guess", NEEDS, "--draft --draft-head --lookup", "these make the drafts"},
    {"--draft", NOT_WITH, "--draft-head --lookup", "both make drafts: take one"},
    {"--draft-head", NOT_WITH, "--lookup", "both make drafts: take one"},
    {"--shift", NOT_WITH, "--beams --draft --draft-head --lookup contrastive_search",
     "what was cut out of a context cannot be looked back at"},
    {"--no-forced", NEEDS, "grammar json json_schema tags regex choice",
     "only a grammar leaves no choice"},
    {"--draft --draft-head --lookup", NOT_WITH,
     "--heal cfg contrast contrastive_search mirostat mirostat_v2 adaptive_p skew",
     "a draft is verified against one model and the distribution that draw samples from"},
    {"--negative", NEEDS, "cfg", "that stage reads it: --chain cfg:1.5"},
    {"--amateur", NEEDS, "contrast", "that stage reads its logits: --chain contrast:0.1"},
    {"contrast", NEEDS, "--amateur", "it subtracts the logits of a weaker model"},
    {"--trace-rows", NEEDS, "--trace", "give the file, too"},
    {"--ids", NOT_WITH, "--stop", "ids go out as they come: --stop-ids ends before a token"},
    {"--chat", NOT_WITH, "--heal --special --no-prompt",
     "a message is plain text, ends where it ends, and is not printed"},
    {"--prefix", NEEDS, "--suffix", "what stands behind the middle may be empty, \"\""},
    {"--suffix", NEEDS, "--prefix", "what stands before the middle may be empty, \"\""},
    {"--prefix", NOT_WITH, "-p --chat --special --heal",
     "both texts are plain, and all that the model is given"},
    IMAGE_RULE,
    VISION_RULES,
    {"--mmproj", NEEDS, "--image", "give it something to look at"},
    {"--image", NOT_WITH, "--draft --draft-head --lookup --amateur",
     "the other model, or what was written before, knows no pictures"},
    {"--image", NOT_WITH, "--heal --prefix", "a picture is no text that could go on"},
    {0},
};

static Request asked = {.prompt = "Once upon a time",
                        .chain = chain_default,
                        .max_tokens = 400,
                        .seed = 1,
                        .logprobs = -1,
                        .trace_rows = 50,
                        .guess = 4,
                        .groups = 1,
                        .length_power = 1};

static bool generate_run(Fault *fault) {
    Request *r = &asked;
    GenerateApp *app = calloc(1, sizeof *app);
    if (!app) return fault_set(fault, "no memory");
    app->request = r, app->first = true, app->steering = r->steering;
    bool ok = choose_model(&r->model, fault) && compute_open(&r->compute, fault);
    if (ok) {
        ok = app_open(app, fault) && app_run(app, fault);
        ok = app_close(app, ok ? fault : NULL) && ok;
        compute_close(&r->compute);
    }
    free(app);
    return ok;
}

static int generate_status(void) {
    Fault fault;
    if (!generate_run(&fault)) return command_failed(&fault);
    return app_interrupted() ? EXIT_INTERRUPTED : EXIT_DONE;
}

static const Option generate_options[] = {
    MODEL_OPTION(asked.model, "model: a GGUF file, or a name from strata pull"),
    {"-p", OPT_PROMPT, &asked.prompt, "TEXT",
     "prompt to continue (\"Once upon a time\"); -: standard input, without its last newline"},
    {"--prefix", OPT_TEXT, &asked.prefix, "TEXT",
     "fill in the middle: what stands before it, instead of -p; for models trained to (most "
     "coders)"},
    {"--suffix", OPT_TEXT, &asked.suffix, "TEXT",
     "and what stands behind; prints all three, with --no-prompt the middle alone"},
    {"-n", OPT_INT(-1, OPTION_MANY), &asked.max_tokens, "N",
     "tokens to generate at most (400; -1: until the model ends or the context is full)"},
    {"--chain", OPT_TEXT, &asked.chain, "SPEC",
     "samplers, for instance top_k:40,top_p:0.95,temp:0.8 or greedy; strata samplers lists "
     "them"},
    {"--grammar", OPT_TEXT, &asked.grammar, "FILE",
     "the text obeys a grammar in llama.cpp's notation: stage grammar before the chain"},
    {"--schema", OPT_TEXT, &asked.schema, "FILE",
     "the text is JSON that fulfils a schema: stage json_schema before the chain"},
    {"--tags", OPT_TEXT, &asked.tags, "FILE",
     "free text with tags whose content obeys (tool calls): stage tags before the chain"},
    {"--regex", OPT_TEXT, &asked.regex, "TEXT",
     "the whole text matches a regular expression: stage regex before the chain"},
    {"--seed", OPT_SEED, &asked.seed, "N", "the same seed gives the same text (1)"},
    {"--stop", OPT_LIST, &asked.stops, "TEXT",
     "end before this text (may be given several times)"},
    {"--stop-ids", OPT_TEXT, &asked.stop_ids, "IDS", "end before one of these tokens: 5,17"},
    {"--seconds", OPT_REAL(0, OPTION_MANY), &asked.seconds, "X",
     "end after so long, all samples or beams together (0: never)"},
    {"--repeats", OPT_INT(2, OPTION_MANY), &asked.repeats, "N",
     "end when a piece of up to 64 tokens came N times in a row (never)"},
    {"--amateur", OPT_TEXT, &asked.amateur, "FILE",
     "weaker model with the same vocabulary, for contrast"},
    {"--negative", OPT_TEXT, &asked.negative, "TEXT", "what cfg moves away from (nothing)"},
    {"--draft", OPT_TEXT, &asked.draft, "FILE",
     "smaller model with the same vocabulary, or a draft head (EAGLE-3), that makes drafts"},
    {"--draft-head", OPT_FLAG, &asked.draft_head, NULL,
     "the model's own draft head makes drafts (files with nextn_predict_layers)"},
    {"--no-forced", OPT_FLAG, &asked.no_forced, NULL,
     "ask for every token by itself, also where a grammar leaves no choice"},
    {"--lookup", OPT_FLAG, &asked.lookup, NULL, "draft what followed the same words before"},
    {"--guess", OPT_INT(1, SPECULATE_MAX), &asked.guess, "N", "tokens in a draft (4)"},
    {"--best-of", OPT_INT(1, OPTION_MANY), &asked.best_of, "N",
     "the likeliest of N samples, by mean ln p of what is shown; --seed is the first one's"},
    {"--beams", OPT_INT(1, BEAM_MAX), &asked.beams, "N", "beam search instead of the chain"},
    {"--beam-groups", OPT_INT(2, BEAM_MAX), &asked.groups, "N",
     "groups of beams that avoid each other (all are one)"},
    {"--beam-diversity", OPT_REAL(1e-9, 1000), &asked.diversity, "X", "how much they do"},
    {"--length-power", OPT_REAL(-10, 10), &asked.length_power, "X",
     "score = ln p / tokens^X (1)"},
    {"--early", OPT_FLAG, &asked.early, NULL, "end beam search when N texts are finished"},
    {"--heal", OPT_FLAG, &asked.heal, NULL,
     "let the prompt's last word go on: its last tokens are chosen anew, its letters stay"},
    {"--trace", OPT_OUTPUT, &asked.trace, "FILE", "what every stage did at every step, as CSV"},
    {"--trace-rows", OPT_INT(0, OPTION_MANY), &asked.trace_rows, "N",
     "rows for each stage (50; 0: all)"},
    {"--logprobs", OPT_INT(0, OPTION_MANY), &asked.logprobs, "N",
     "for each token, its log-probability before and after the chain, and the N likeliest; on "
     "stderr"},
    {"--ctx", OPT_INT(1, OPTION_MANY), &asked.ctx, "N",
     "context in tokens, at most the model's (that, at most 4096)"},
    {"--shift", OPT_FLAG, &asked.shift, NULL,
     "a full context is no end: the oldest tokens are cut out of it, the first page stays; "
     "nearly the same as reading the rest again"},
    {"--chat", OPT_FLAG, &asked.chat, NULL,
     "the prompt is a user's message, in the form the model knows; prints the answer"},
    {"--special", OPT_FLAG, &asked.special, NULL, "read special tokens in the prompt by name"},
    {"--ids", OPT_FLAG, &asked.ids, NULL, "print token ids instead of text"},
    {"--no-prompt", OPT_FLAG, &asked.no_prompt, NULL,
     "print what is generated without the prompt before it"},
    {"--quiet", OPT_FLAG, &asked.quiet, NULL, "no status line on stderr"},
    {"--image", OPT_LIST, &asked.images, "FILE",
     "a picture (PNG, JPEG, PPM) in the prompt, where it says " PICTURE_MARK
     ", or before it (may be given several times)"},
    VISION_OPTIONS(asked.vision),
    STEERING_OPTIONS(asked.steering),
    KV_OPTION(asked.compute),
    ADAPTER_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

const Command command_generate = {
    .name = "generate",
    .usage = "generate [-m FILE] [-p TEXT] [options]",
    .about = "Continue a prompt.  The text goes to stdout, a line about the run to stderr.",
    .examples = {"strata generate -p \"Mia was a\" -n 60 --seed 7",
                 "strata generate --chain top_k:40,temp:0.7",
                 "strata generate -m MODEL.gguf --chat -p \"Why is the sky blue?\""},
    .options = generate_options,
    .brief = "-m -p -n --chain --seed --chat --stop --schema --ctx --draft --quiet --threads",
    .rules = generate_rules,
    .run_status = generate_status};
