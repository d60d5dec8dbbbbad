/* chat.c - strata chat: a conversation with a model. */
#include "input.h"
#include "talk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ opening and closing */

/* One of the words of a list, by its place. */
static bool choose_word(const char *option, const char *word, const char *const *words,
                        int *chosen, Fault *fault) {
    for (*chosen = 0; words[*chosen]; ++*chosen)
        if (strcmp(word, words[*chosen]) == 0) return true;
    return fault_set(fault, "%s is '%.40s': wanted %s, %s or %s", option, word, words[0],
                     words[1], words[2]);
}

/* A built-in form by its name, or a file's behind @. */
static bool open_form(Talk *talk, Fault *fault) {
    const Model *model = talk->loaded.model;
    const char *form = talk->request->form;
    if (!form || form[0] != '@')
        return chat_form_open(&talk->form, &model->gguf, model->tokenizer, (Text){0}, form,
                              fault);
    size_t size;
    FILE *file = fopen(form + 1, "rb");
    if (!file)
        return fault_set(fault, "--form '%.200s' cannot be opened: %s", form, strerror(errno));
    char *bytes = read_all(file, form + 1, &size, fault);
    fclose(file);
    bool ok = bytes &&
              (size || fault_set(fault, "--form '%.200s' is empty: wanted a template", form));
    ok = ok && chat_form_open(&talk->form, &model->gguf, model->tokenizer, (Text){bytes, size},
                              NULL, fault);
    free(bytes);
    return ok;
}

bool talk_open(Talk *talk, const ChatRequest *request, Fault *fault) {
    static const char *const fulls[] = {"shift", "forget", "stop", NULL}, *const thinks[] = {
                                                                              "show", "hide",
                                                                              "off", NULL};
    int full, think;
    talk->request = request;
    talk->seed = request->seed;
    talk->terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (!choose_word("--full", request->full, fulls, &full, fault) ||
        !choose_word("--think", request->think, thinks, &think, fault) ||
        !loaded_open_model(&talk->loaded, request->model, &request->compute, fault) ||
        !compute_adapt(&request->compute, &talk->loaded.own, fault))
        return false;
    talk->full = (Full)full, talk->think = (Think)think;
    const Model *model = talk->loaded.model;
    if ((size_t)request->ctx > model->sizes.ctx)
        return fault_set(fault, "--ctx is %ld: wanted at most %zu, the model's", request->ctx,
                         model->sizes.ctx);
    return chain_parse(&talk->chain, request->chain, model->tokenizer, fault) &&
           open_form(talk, fault) &&
           loaded_open_session(&talk->loaded, &request->compute, (size_t)request->ctx, 2,
                               fault) &&
           engine_open(&talk->engine, &talk->loaded.session, fault) &&
           (!request->load || talk_load(talk, request->load, fault)) &&
           (!request->system || talk_set_system(talk, text_of(request->system), fault));
}

void talk_close(Talk *talk) {
    talk_drop(talk, 0, talk->count);
    free(talk->turns);
    engine_close(&talk->engine);
    chat_form_close(&talk->form);
    chain_close(&talk->chain);
    token_list_free(&talk->tokens[0]), token_list_free(&talk->tokens[1]);
    if (talk->loaded.model) loaded_close(&talk->loaded);
}

/* ------------------------------------------------------------------ the conversation */

static void on_interrupt(int signal) {
    (void)signal;
    talk_interrupted = 1;
}

static bool take_line(Talk *talk, Text line, Fault *fault) {
    const char *zero = memchr(line.data, 0, line.size);
    if (zero)
        return fault_set(fault, "byte %zu of the line is zero: wanted text",
                         (size_t)(zero - line.data) + 1);
    if (line.data[0] == '/') return talk_order(talk, line, fault);
    return talk_add(talk, "user", line, fault) && talk_reply(talk, fault);
}

/* Returns whether all lines were answered. */
static bool converse(Talk *talk) {
    Fault fault;
    bool all = true;
    size_t size;
    for (char *line; !talk->over && (line = talk_line(talk, &size)); free(line)) {
        if (!size || take_line(talk, (Text){line, size}, &fault)) continue;
        fprintf(stderr, "[%s]\n", fault.text);
        all = false;
    }
    return all || talk->terminal;
}

static int run_request(ChatRequest *request) {
    Fault fault;
    char path[2400];
    Talk *talk = calloc(1, sizeof *talk);
    bool ok = talk || fault_set(&fault, "no memory for a conversation"), answered = true;
    ok = ok && choose_model(&request->model, path, sizeof path, &fault) &&
         compute_open(&request->compute, &fault);
    ok = ok && talk_open(talk, request, &fault);
    if (ok) {
        struct sigaction action = {.sa_handler = on_interrupt}, before;
        sigaction(SIGINT, &action, &before);
        if (!request->quiet)
            fprintf(stderr, "[%s; form: %s; /help lists the orders]\n", request->model,
                    talk->form.name);
        answered = converse(talk);
        sigaction(SIGINT, &before, NULL);
    }
    if (talk) talk_close(talk);
    compute_close(&request->compute);
    free(talk);
    if (!ok) return command_failed(&fault);
    return answered ? EXIT_DONE : EXIT_FAILED;
}

static int run(int argc, char **argv) {
    ChatRequest r = {.chain = chain_default,
                     .full = "forget",
                     .think = "show",
                     .max_tokens = 1000,
                     .seed = 1};
    const Option options[] = {
        {"-m", OPT_TEXT, &r.model, "FILE", "model in GGUF format (the storyteller in the box)"},
        {"-n", OPT_INT(-1, OPTION_MANY), &r.max_tokens, "N",
         "tokens of an answer at most (1000; -1: until the model ends or the context is full)"},
        {"--chain", OPT_TEXT, &r.chain, "SPEC", "samplers, as for strata generate"},
        {"--seed", OPT_SEED, &r.seed, "N", "the same seed gives the same answers (1)"},
        {"--form", OPT_TEXT, &r.form, "NAME",
         "form of the conversation: a built-in one (chatml, llama3, ...) or @FILE, a template "
         "(the model's own)"},
        {"--system", OPT_TEXT, &r.system, "TEXT", "what the conversation begins with"},
        {"--load", OPT_TEXT, &r.load, "FILE", "go on with turns that were saved"},
        {"--full", OPT_TEXT, &r.full, "WHAT",
         "when the context is full: forget (the oldest turns), shift (the oldest tokens, in "
         "the middle of an answer, "
         "too) or stop (forget)"},
        {"--think", OPT_TEXT, &r.think, "WHAT",
         "a model's thinking: show, hide or off, where its template can (show)"},
        {"--ctx", OPT_INT(1, OPTION_MANY), &r.ctx, "N",
         "context in tokens, at most the model's (that, at most 4096)"},
        {"--quiet", OPT_FLAG, &r.quiet, NULL, "no line about the model at the start"},
        KV_OPTION(r.compute),
        ADAPTER_OPTION(r.compute),
        COMPUTE_OPTIONS(r.compute),
        {0},
    };
    int status = options_read(
        argc, argv, "chat [-m FILE] [options]",
        "Talk with a model, line by line.  What you write is never read as a control token.",
        options, NULL, 0, 0);
    return status >= 0 ? status : run_request(&r);
}

const Command command_chat = {.name = "chat", .gloss = "talk with a model", .run = run};
