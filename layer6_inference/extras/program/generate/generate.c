/* generate.c - the options of strata generate.  See app.h for the rest. */
#include "commands.h"
#include "app.h"
#include "distinct.h"
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
    {"--beams", NOT_WITH, "--draft --no-forced", "beams already share one batch"},
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
    {"--particles", NOT_WITH, "--draft --no-forced --shift",
     "particles already share one batch"},
    {"--resample", NEEDS, "--particles", "it says when light ones are dropped"},
    {"--aligned", NOT_WITH, "--chain",
     "its texts are drawn from the model itself, under the constraint"},
    {"--aligned", NEEDS, "--grammar --schema --tags --regex",
     "without a constraint there is nothing to learn"},
    {"--aligned", NOT_WITH, "--beams --particles --distinct --power --best-of",
     "choose one of these searches"},
    {"--distinct", NOT_WITH, "--beams --particles --power --best-of",
     "choose one of these searches"},
    {"--power", NOT_WITH, "--beams --particles --best-of", "choose one of these searches"},
    {"--power", NOT_WITH, "--chain", "it sharpens the model itself, under the constraint"},
    {"--distinct --power --aligned", NOT_WITH, "--logprobs --trace",
     "they follow a single text"},
    {"--distinct --power --aligned", NOT_WITH, "--draft --no-forced --shift",
     "their texts already share one batch and its pages"},
    {"--distinct", NOT_WITH,
     "greedy gumbel arithmetic mirostat mirostat_v2 adaptive_p skew xtc watermark",
     "it draws by itself, from what the other stages leave"},
    {"--distinct", NOT_WITH, "cfg contrast contrastive_search",
     "its texts are read without a second text or model, and without looking ahead"},
    {"--moves --block", NEEDS, "--power", "they are steps of power sampling"},
    {"--by", NEEDS, "--best-of", "it chooses among samples"},
    {"--answer", NEEDS, "--by",
     "it is the part of a sample that is compared: --by vote or mbr"},
    {"--confidence", NEEDS, "--by", "it ends a vote: --by vote"},
    {"--all", NEEDS, "--best-of --beams --distinct", "else there is one text"},
    {"--best-of", NOT_WITH, "--logprobs",
     "run the best sample again, with --seed and the seed that was printed"},
    {"--best-of", NOT_WITH, "greedy", "greedy makes every sample the same"},
    {"--guess --leaves", NEEDS, "--draft", "it says where drafts come from"},
    {"--shift", NOT_WITH, "--beams --draft contrastive_search",
     "they need the tokens that a shift removes"},
    {"--no-forced", NEEDS, "grammar json json_schema tags regex choice",
     "only a grammar forces tokens"},
    {"--draft", NOT_WITH, "--heal contrastive_search arithmetic",
     "a draft is verified in one forward pass, before its text is known"},
    {"--negative", NEEDS, "cfg", "add that stage: --chain cfg:1.5"},
    {"--amateur", NEEDS, "contrast dola ref", "add that stage: --chain contrast:0.1"},
    {"--early-layers", NEEDS, "dola contrast ref", "add that stage: --chain dola:0.1"},
    {"--early-layers", NOT_WITH, "--amateur", "a stage subtracts one of the two"},
    {"--early-layers", NOT_WITH, "--draft --distinct",
     "the layers are read for a token at a time"},
    {"contrast", NEEDS, "--amateur --early-layers", "it subtracts a weaker model's logits"},
    {"dola", NEEDS, "--early-layers --amateur", "it subtracts an early layer's logits"},
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
    {"--image", NOT_WITH, "--draft --amateur", "drafts and the amateur are text-only"},
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
                        .by = "likelihood",
                        .moves = 10,
                        .groups = 1,
                        .length_power = 1,
                        .resample = 0.5};

static bool generate_run(Fault *fault) {
    Request *r = &asked;
    GenerateApp *app = calloc(1, sizeof *app);
    if (!app) return fault_set(fault, "no memory for the options");
    app->request = r, app->first = true, app->steering = r->steering;
    bool ok = choose_model(&r->model, fault) && compute_open(&r->compute, fault);
    if (ok) {
        ok = app_open(app, fault) && app_run(app, fault) && file_end(&app->trace_file, fault);
        app_close(app);
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

/* How to choose among samples. */
static bool generate_check_choice(Fault *fault) {
    const Request *r = &asked;
    const char *star = r->answer ? strchr(r->answer, '*') : NULL;
    ChooseBy by;
    if (!choose_by_read(r->by, &by, fault)) return fault_prefix(fault, "--by");
    if (r->answer && by == BY_LIKELIHOOD)
        return fault_set(fault, "--answer needs --by vote or --by mbr: they compare answers");
    if (r->answer && (!star || strchr(star + 1, '*')))
        return fault_set(
            fault, "--answer is '%s': wanted one * where the answer is, e.g. \"named *.\"",
            r->answer);
    return r->confidence == 0 || by == BY_VOTE ||
           fault_set(fault, "--confidence needs --by vote: it ends a vote");
}

static bool generate_check(Fault *fault) {
    if (asked.leaves && draft_find(asked.draft))
        return fault_set(
            fault,
            "--leaves needs a draft model, --draft FILE or --draft skip:LAYERS: %s "
            "drafts without probabilities",
            asked.draft);
    return generate_check_choice(fault);
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
    {"--early-layers", OPT_TEXT, &asked.early_layers, "L,L",
     "the model's own layers, counted from 0, as the amateur: for each token the one whose "
     "prediction is farthest from the model's (for the stages dola and contrast)"},
    {"--negative", OPT_TEXT, &asked.negative, "TEXT",
     "negative prompt for the stage cfg (empty)"},
    {"--draft", OPT_TEXT, &asked.draft, "KIND|FILE",
     "speculative decoding with drafts of this kind: lookup (what followed the same words), "
     "suffix (what most often followed the longest known end of the text), jacobi (the model's "
     "guesses of the pass before), skip:1,3 or skip:40% (itself without these blocks), head "
     "(its own MTP head), or a FILE: a draft model with the "
     "same vocabulary, an EAGLE-3 draft head, or an assistant of Gemma 4"},
    {"--no-forced", OPT_FLAG, &asked.no_forced, NULL,
     "evaluate tokens one by one even where a grammar forces them"},
    {"--guess", OPT_INT(1, SPECULATE_MAX), &asked.guess, "N", "tokens per draft (4)"},
    {"--leaves", OPT_INT(1, LEAVES_MAX), &asked.leaves, "N",
     "verify N other candidates for each token of a draft model's in the same pass (0)"},
    {"--best-of", OPT_INT(1, OPTION_MANY), &asked.best_of, "N",
     "draw N samples and print one, the likeliest unless --by says otherwise; --seed is the "
     "first sample's"},
    {"--by", OPT_TEXT, &asked.by, "RULE",
     "choose the sample by likelihood (mean log-probability), vote (the commonest answer) or "
     "mbr "
     "(minimum Bayes risk: the largest mean chrF with the others)"},
    {"--answer", OPT_TEXT, &asked.answer, "TEXT",
     "where a sample's answer is: at the * of this text, where it occurs last, e.g. \"named "
     "*.\" (the whole sample)"},
    {"--confidence", OPT_REAL(0.5, 1), &asked.confidence, "X",
     "end the vote as soon as its leader is the commonest answer with probability X (never)"},
    {"--all", OPT_FLAG, &asked.all, NULL,
     "print all samples, beams or distinct texts, with lines <|endoftext|> between them"},
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
    {"--aligned", OPT_INT(1, OPTION_MANY), &asked.aligned, "N",
     "draw N texts under the constraint, each with what the ones before showed about where it "
     "is "
     "hard to obey, and print the last: as the model would have obeyed"},
    {"--distinct", OPT_INT(1, DISTINCT_MAX), &asked.distinct, "N",
     "draw N texts of different tokens, without replacement (stochastic beams), and print the "
     "first"},
    {"--power", OPT_REAL(1e-3, 1000), &asked.power, "A",
     "draw a text with a probability in proportion to p^A, by Metropolis-Hastings"},
    {"--moves", OPT_INT(0, OPTION_MANY), &asked.moves, "N",
     "power sampling: new endings proposed, per block (10)"},
    {"--block", OPT_INT(1, OPTION_MANY), &asked.block, "N",
     "power sampling: propose after every N tokens, then go on (after the whole text)"},
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
    .check = generate_check,
    .run_status = generate_status};
