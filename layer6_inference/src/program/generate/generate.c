/* generate.c - strata generate: its options.  What they lead to is in scene.h. */
#include "scene.h"

#include <stdlib.h>

static const OptionRule rules[] = {
    {"--beams", NOT_WITH, "--chain --seed",
     "the likeliest texts are looked for, none is drawn"},
    {"--beams", NOT_WITH, "--best-of", "each is a way to choose among texts: take one"},
    {"--beams", NOT_WITH, "--logprobs --trace", "these follow one text: leave out --beams"},
    {"--beams", NOT_WITH, "--draft --lookup", "beams are read in one batch already"},
    {"--beam-groups", NEEDS, "--beams", "give the number of beams, too"},
    {"--beam-groups", NEEDS, "--beam-diversity",
     "groups that do not avoid each other find the same texts"},
    {"--beam-diversity", NEEDS, "--beam-groups", "it keeps groups apart"},
    {"--length-power", NEEDS, "--beams", "it scores the texts of beam search"},
    {"--early", NEEDS, "--beams", "it ends beam search"},
    {"--best-of", NOT_WITH, "--logprobs",
     "run the best one alone, with --seed and the seed that was told"},
    {"--best-of", NOT_WITH, "greedy", "all samples would be one text: draw them"},
    {"--guess", NEEDS, "--draft --lookup", "nobody guesses without"},
    {"--draft", NOT_WITH, "--lookup", "one of them guesses: take one"},
    {"--draft", NOT_WITH,
     "--heal cfg contrast contrastive_search mirostat mirostat_v2 adaptive_p skew",
     "guesses are checked against one model and what draw makes of it"},
    {"--lookup", NOT_WITH,
     "--heal cfg contrast contrastive_search mirostat mirostat_v2 adaptive_p skew",
     "guesses are checked against one model and what draw makes of it"},
    {"--negative", NEEDS, "cfg", "that stage reads it: --chain cfg:1.5"},
    {"--amateur", NEEDS, "contrast", "that stage asks it: --chain contrast:0.1"},
    {"contrast", NEEDS, "--amateur", "it takes the opinion of a weaker model off"},
    {"--trace-rows", NEEDS, "--trace", "give the file, too"},
    {"--ids", NOT_WITH, "--stop", "ids go out as they come: --stop-ids ends before a token"},
    {"--chat", NOT_WITH, "--heal --special --no-prompt",
     "a message is plain text, ends where it ends, and is not printed"},
    {0},
};

static bool run_request(Request *r, Fault *fault) {
    Scene *scene = calloc(1, sizeof *scene);
    char path[2400];
    if (!scene) return fault_set(fault, "no memory");
    scene->request = r, scene->first = true;
    bool ok =
        choose_model(&r->model, path, sizeof path, fault) && machine_open(&r->machine, fault);
    if (ok) {
        ok = scene_open(scene, fault) && scene_speak(scene, fault);
        ok = scene_close(scene, ok ? fault : NULL) && ok;
        machine_close(&r->machine);
    }
    free(scene);
    return ok;
}

static int run(int argc, char **argv) {
    Request r = {.prompt = "Once upon a time",
                 .chain = chain_default,
                 .most = 400,
                 .seed = 1,
                 .logprobs = -1,
                 .trace_most = 50,
                 .guess = 4,
                 .groups = 1,
                 .length_power = 1};
    Fault fault;
    const Option options[] = {
        {"-m", OPT_TEXT, &r.model, "FILE", "model in GGUF format (the storyteller in the box)"},
        {"-p", OPT_TEXT, &r.prompt, "TEXT",
         "prompt to continue (\"Once upon a time\"); -: standard input, without its last "
         "newline"},
        {"-n", OPT_INT(-1, OPTION_MANY), &r.most, "N",
         "most tokens to generate (400; -1: until the model ends or the context is full)"},
        {"--chain", OPT_TEXT, &r.chain, "SPEC",
         "samplers, for instance top_k:40,top_p:0.95,temp:0.8 or greedy; strata samplers lists "
         "them"},
        {"--seed", OPT_SEED, &r.seed, "N", "the same seed gives the same text (1)"},
        {"--stop", OPT_LIST, &r.stops, "TEXT",
         "end before this text (may be given several times)"},
        {"--stop-ids", OPT_TEXT, &r.stop_ids, "IDS", "end before one of these tokens: 5,17"},
        {"--seconds", OPT_REAL(0, OPTION_MANY), &r.seconds, "X",
         "end after so long, all samples or beams together (0: never)"},
        {"--repeats", OPT_INT(2, OPTION_MANY), &r.repeats, "N",
         "end when a piece of up to 64 tokens came N times in a row (never)"},
        {"--amateur", OPT_TEXT, &r.amateur, "FILE",
         "weaker model with the same vocabulary, for contrast"},
        {"--negative", OPT_TEXT, &r.negative, "TEXT", "what cfg moves away from (nothing)"},
        {"--draft", OPT_TEXT, &r.draft, "FILE",
         "smaller model with the same vocabulary that guesses ahead (speculative decoding)"},
        {"--lookup", OPT_FLAG, &r.lookup, NULL,
         "guess ahead by what followed the same words before"},
        {"--guess", OPT_INT(1, SPECULATE_MOST), &r.guess, "N", "tokens in a guess (4)"},
        {"--best-of", OPT_INT(1, OPTION_MANY), &r.best_of, "N",
         "the likeliest of N samples, by mean ln p of what is shown; --seed is the first "
         "one's"},
        {"--beams", OPT_INT(1, BEAM_MOST), &r.beams, "N", "beam search instead of the chain"},
        {"--beam-groups", OPT_INT(2, BEAM_MOST), &r.groups, "N",
         "groups of beams that avoid each other (all are one)"},
        {"--beam-diversity", OPT_REAL(1e-9, 1000), &r.diversity, "X", "how much they do"},
        {"--length-power", OPT_REAL(-10, 10), &r.length_power, "X",
         "score = ln p / tokens^X (1)"},
        {"--early", OPT_FLAG, &r.early, NULL, "end beam search when N texts are finished"},
        {"--heal", OPT_FLAG, &r.heal, NULL,
         "let the prompt's last word go on: its last tokens are chosen anew, its letters stay"},
        {"--trace", OPT_TEXT, &r.trace, "FILE", "what every stage did at every step, as CSV"},
        {"--trace-rows", OPT_INT(0, OPTION_MANY), &r.trace_most, "N",
         "rows for each stage (50; 0: all)"},
        {"--logprobs", OPT_INT(0, OPTION_MANY), &r.logprobs, "N",
         "for each token, its log-probability before and after the chain, and the N likeliest; "
         "on stderr"},
        {"--ctx", OPT_INT(KV_PAGE, OPTION_MANY), &r.ctx, "N",
         "context in tokens: a multiple of 64, at most the model's (that, at most 4096)"},
        {"--chat", OPT_FLAG, &r.chat, NULL,
         "the prompt is a user's message in ChatML; prints the answer"},
        {"--special", OPT_FLAG, &r.special, NULL, "read special tokens in the prompt by name"},
        {"--ids", OPT_FLAG, &r.ids, NULL, "print token ids instead of text"},
        {"--no-prompt", OPT_FLAG, &r.no_prompt, NULL,
         "print what is generated without the prompt before it"},
        {"--quiet", OPT_FLAG, &r.quiet, NULL, "no status line on stderr"},
        KV_OPTION(r.machine),
        MACHINE_OPTIONS(r.machine),
        {0},
    };
    const CommandLine line = {argc,
                              argv,
                              "generate [-m FILE] [-p TEXT] [options]",
                              "Continue a prompt.  The text goes to stdout, a line about the "
                              "run to stderr.",
                              options,
                              rules};
    int status = command_line_read(&line, NULL, 0, 0);
    if (status >= 0) return status;
    r.line = &line;
    return run_request(&r, &fault) ? EXIT_DONE : command_failed(&fault);
}

const Command command_generate = {
    .name = "generate", .gloss = "continue a prompt with a model", .run = run};
