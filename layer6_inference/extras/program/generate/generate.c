/* generate.c - the options of strata generate.  See app.h for the rest. */
#include "commands.h"
#include "app.h"
#include "particles.h"

#include <stdlib.h>

static const OptionRule generate_rules[] = {
    {"--grammar", NOT_WITH, "--schema --tags --regex",
     "only one of them constrains a text; --chain takes more as stages"},
    {"--tags", NOT_WITH, "--regex",
     "only one of them constrains a text; --chain takes more as stages"},
    {"--schema", NOT_WITH, "--tags --regex",
     "only one of them constrains a text; --chain takes more as stages"},
    {"--beams", NOT_WITH, "--chain --seed",
     "beam search finds the likeliest texts and samples nothing"},
    {"--beams", NOT_WITH, "--best-of", "choose one of the two searches"},
    {"--beams", NOT_WITH, "--logprobs --trace", "they follow a single text"},
    {"--beams", NOT_WITH, "--draft --draft-head --lookup --no-forced",
     "beams already share one batch"},
    {"--beam-groups", NEEDS, "--beams", "it divides the beams into groups"},
    {"--beam-groups", NEEDS, "--beam-diversity",
     "groups without a penalty find the same texts"},
    {"--beam-diversity", NEEDS, "--beam-groups", "it is the penalty between groups"},
    {"--length-power", NEEDS, "--beams", "it is part of beam search's score"},
    {"--early", NEEDS, "--beams", "it ends beam search"},
    {"--particles", NOT_WITH, "--chain",
     "particles draw from the model itself, under the constraint"},
    {"--particles", NEEDS, "--grammar --schema --tags --regex",
     "without a constraint all particles weigh the same"},
    {"--particles", NOT_WITH, "--beams --best-of", "choose one of these searches"},
    {"--particles", NOT_WITH, "--logprobs --trace", "they follow a single text"},
    {"--particles", NOT_WITH, "--draft --draft-head --lookup --no-forced --shift",
     "particles already share one batch"},
    {"--resample", NEEDS, "--particles", "it says when light ones are dropped"},
    {"--best-of", NOT_WITH, "--logprobs",
     "run the best sample again, with --seed and the seed that was printed"},
    {"--best-of", NOT_WITH, "greedy", "greedy makes every sample the same"},
    {"--guess", NEEDS, "--draft --draft-head --lookup", "they make the drafts"},
    {"--draft", NOT_WITH, "--draft-head --lookup", "choose one source of drafts"},
    {"--draft-head", NOT_WITH, "--lookup", "choose one source of drafts"},
    {"--shift", NOT_WITH, "--beams --draft --draft-head --lookup contrastive_search",
     "they need the tokens that a shift removes"},
    {"--no-forced", NEEDS, "grammar json json_schema tags regex choice",
     "only a grammar forces tokens"},
    {"--draft --draft-head --lookup", NOT_WITH,
     "--heal cfg contrast contrastive_search mirostat mirostat_v2 adaptive_p skew",
     "a draft is verified against one model's distribution, as draw samples from it"},
    {"--negative", NEEDS, "cfg", "add that stage: --chain cfg:1.5"},
    {"--amateur", NEEDS, "contrast", "add that stage: --chain contrast:0.1"},
    {"contrast", NEEDS, "--amateur", "it subtracts a weaker model's logits"},
    {"--trace-rows", NEEDS, "--trace", "it limits that file"},
    {"--ids", NOT_WITH, "--stop", "ids are printed as they come; use --stop-ids"},
    {"--chat", NOT_WITH, "--heal --special --no-prompt",
     "a chat message is plain text, complete, and not printed"},
    {"--prefix", NEEDS, "--suffix", "the text after the gap; it may be empty, \"\""},
    {"--suffix", NEEDS, "--prefix", "the text before the gap; it may be empty, \"\""},
    {"--prefix", NOT_WITH, "-p --chat --special --heal",
     "the two texts, taken literally, are the whole prompt"},
    IMAGE_RULE,
    VISION_RULES,
    {"--mmproj", NEEDS, "--image", "there is no image to encode"},
    {"--image", NOT_WITH, "--draft --draft-head --lookup --amateur",
     "drafts and the amateur are text-only"},
    {"--image", NOT_WITH, "--heal --prefix", "only text can be healed or filled in"},
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
                        .length_power = 1,
                        .resample = 0.5};

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
    MODEL_OPTION(asked.model),
    {"-p", OPT_PROMPT, &asked.prompt, "TEXT",
     "the prompt (\"Once upon a time\"); -: read it from stdin, without the final newline"},
    {"--prefix", OPT_TEXT, &asked.prefix, "TEXT",
     "fill in the middle: the text before the gap, instead of -p (for models trained for it, "
     "as most code models are)"},
    {"--suffix", OPT_TEXT, &asked.suffix, "TEXT",
     "the text after the gap; prints all three parts, with --no-prompt the middle alone"},
    {"-n", OPT_INT(-1, OPTION_MANY), &asked.max_tokens, "N",
     "maximum number of tokens (400; -1: until the model stops or the context is full)"},
    {"--chain", OPT_TEXT, &asked.chain, "SPEC",
     "the sampler chain, e.g. top_k:40,top_p:0.95,temp:0.8 or greedy (strata samplers lists "
     "them)"},
    {"--grammar", OPT_TEXT, &asked.grammar, "FILE",
     "constrain the text by a GBNF grammar (adds the stage grammar)"},
    {"--schema", OPT_TEXT, &asked.schema, "FILE",
     "constrain the text to JSON of this schema (adds the stage json_schema)"},
    {"--tags", OPT_TEXT, &asked.tags, "FILE",
     "constrain only the content of tags, e.g. tool calls (adds the stage tags)"},
    {"--regex", OPT_TEXT, &asked.regex, "TEXT",
     "constrain the whole text by a regular expression (adds the stage regex)"},
    {"--seed", OPT_SEED, &asked.seed, "N",
     "random seed; the same seed gives the same text (1)"},
    {"--stop", OPT_LIST, &asked.stops, "TEXT", "stop before this string (repeatable)"},
    {"--stop-ids", OPT_TEXT, &asked.stop_ids, "IDS",
     "stop before any of these tokens, e.g. 5,17"},
    {"--seconds", OPT_REAL(0, OPTION_MANY), &asked.seconds, "X",
     "stop after X seconds, all samples or beams together (0: never)"},
    {"--repeats", OPT_INT(2, OPTION_MANY), &asked.repeats, "N",
     "stop when a piece of up to 64 tokens repeats N times in a row (never)"},
    {"--amateur", OPT_TEXT, &asked.amateur, "FILE",
     "a weaker model with the same vocabulary, for the stage contrast"},
    {"--negative", OPT_TEXT, &asked.negative, "TEXT",
     "negative prompt for the stage cfg (empty)"},
    {"--draft", OPT_TEXT, &asked.draft, "FILE",
     "draft model with the same vocabulary, or an EAGLE-3 draft head"},
    {"--draft-head", OPT_FLAG, &asked.draft_head, NULL,
     "draft with the model's own MTP head (files with nextn_predict_layers)"},
    {"--no-forced", OPT_FLAG, &asked.no_forced, NULL,
     "evaluate tokens one by one even where a grammar forces them"},
    {"--lookup", OPT_FLAG, &asked.lookup, NULL,
     "draft by prompt lookup: what followed the same words before"},
    {"--guess", OPT_INT(1, SPECULATE_MAX), &asked.guess, "N", "tokens per draft (4)"},
    {"--best-of", OPT_INT(1, OPTION_MANY), &asked.best_of, "N",
     "print the likeliest of N samples, by mean log-probability; --seed is the first sample's"},
    {"--beams", OPT_INT(1, BEAM_MAX), &asked.beams, "N",
     "beam search with N beams instead of the chain"},
    {"--beam-groups", OPT_INT(2, BEAM_MAX), &asked.groups, "N",
     "groups of beams that avoid each other's tokens (1)"},
    {"--beam-diversity", OPT_REAL(1e-9, 1000), &asked.diversity, "X",
     "penalty on tokens that another group chose"},
    {"--length-power", OPT_REAL(-10, 10), &asked.length_power, "X",
     "score = log-probability / tokens^X (1)"},
    {"--early", OPT_FLAG, &asked.early, NULL,
     "end beam search as soon as N texts are finished"},
    {"--particles", OPT_INT(1, PARTICLES_MAX), &asked.particles, "N",
     "draw N texts under the constraint side by side, weigh them, and print one by weight: as "
     "the model would have obeyed"},
    {"--resample", OPT_REAL(0, 1), &asked.resample, "X",
     "drop light particles and fork heavy ones when their effective number falls below X * N "
     "(0.5)"},
    {"--heal", OPT_FLAG, &asked.heal, NULL,
     "token healing: choose the prompt's last tokens again, keeping their letters"},
    {"--trace", OPT_OUTPUT, &asked.trace, "FILE",
     "write what every stage did at every step, as CSV"},
    {"--trace-rows", OPT_INT(0, OPTION_MANY), &asked.trace_rows, "N",
     "rows per stage (50; 0: all)"},
    {"--logprobs", OPT_INT(0, OPTION_MANY), &asked.logprobs, "N",
     "print each token's log-probability before and after the chain, and the N likeliest, on "
     "stderr"},
    {"--ctx", OPT_INT(1, OPTION_MANY), &asked.ctx, "N",
     "context size in tokens (the model's, at most 4096)"},
    {"--shift", OPT_FLAG, &asked.shift, NULL,
     "when the context is full, drop the oldest tokens and keep the first page; an "
     "approximation"},
    {"--chat", OPT_FLAG, &asked.chat, NULL,
     "treat the prompt as a user's message, in the model's chat format, and print the answer"},
    {"--special", OPT_FLAG, &asked.special, NULL, "parse special tokens in the prompt"},
    {"--ids", OPT_FLAG, &asked.ids, NULL, "print token ids instead of text"},
    {"--no-prompt", OPT_FLAG, &asked.no_prompt, NULL,
     "print the generated text without the prompt"},
    {"--quiet", OPT_FLAG, &asked.quiet, NULL, "no status line on stderr"},
    {"--image", OPT_LIST, &asked.images, "FILE",
     "an image (PNG, JPEG, PPM), inserted at " PICTURE_MARK
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
    .about = "Continue a prompt.  The text goes to stdout, a status line to stderr.",
    .examples = {"strata generate -p \"Mia was a\" -n 60 --seed 7",
                 "strata generate --chain top_k:40,temp:0.7",
                 "strata generate -m MODEL.gguf --chat -p \"Why is the sky blue?\""},
    .options = generate_options,
    .brief = "-m -p -n --chain --seed --chat --stop --schema --ctx --draft --quiet --threads",
    .rules = generate_rules,
    .run_status = generate_status};
