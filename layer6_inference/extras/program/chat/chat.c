/* chat.c - strata chat: a conversation with a model. */
#include "commands.h"
#include "input.h"
#include "talk.h"
#include "chat.h"
#include "json.h"
#include "template.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ opening and closing */

/* The index of one of three words. */
static bool choose_word(const char *option, const char *word, const char *const words[3],
                        int *chosen, Fault *fault) {
    for (*chosen = 0; *chosen < 3; ++*chosen)
        if (strcmp(word, words[*chosen]) == 0) return true;
    return fault_set(fault, "%s is '%.40s': wanted %s, %s or %s", option, word, words[0],
                     words[1], words[2]);
}

static bool chat_read_words(Talk *talk, Fault *fault) {
    static const char *const fulls[] = {"shift", "forget", "stop"}, *const thinks[] = {
                                                                        "show", "hide", "off"};
    const ChatRequest *r = talk->request;
    int full, think;
    if (!choose_word("--full", r->full, fulls, &full, fault) ||
        !choose_word("--think", r->think, thinks, &think, fault))
        return false;
    talk->full = (Full)full, talk->think = (Think)think;
    if (r->tools && talk->full == FULL_SHIFT)
        return fault_set(fault, "--full shift does not go with --tools, as it would drop their "
                                "description: use forget or stop");
    return !r->tool_choice || strcmp(r->tool_choice, "auto") == 0 ||
           strcmp(r->tool_choice, "required") == 0 ||
           fault_set(fault, "--tool-choice is '%.40s': wanted auto or required",
                     r->tool_choice);
}

/* A template that never prints the user's message would have the model answer nothing.  One
 * that refuses the test message will say so later. */
static bool check_form(const Talk *talk, Fault *fault) {
    static const char said[] = "owl, owl, owl";
    static const Text keys[] = {{"role", 4}, {"content", 7}};
    const JsonValue values[] = {json_string(text_of("user")), json_string(text_of(said))},
                    message = {.kind = JSON_OBJECT, .count = 2, .items = values, .keys = keys},
                    messages = {.kind = JSON_ARRAY, .count = 1, .items = &message};
    const ChatTalk probe = {.messages = &messages, .open = true, .think = true};
    Rendered text = {0};
    Fault ignored;
    bool prints =
        !chat_render(&talk->form, talk->loaded.model->tokenizer, &probe, &text, &ignored) ||
        memmem(text.text, text.size, said, strlen(said));
    rendered_free(&text);
    return prints || fault_set(fault,
                               "the chat format %s never prints the user's message: wanted a "
                               "template that prints message.content",
                               talk->form.name);
}

/* Edit typed lines if the terminal can. */
static bool open_editor(Talk *talk, Fault *fault) {
    const ChatRequest *r = talk->request;
    const char *kind = getenv("TERM");
    if (!talk->terminal || !kind || strcmp(kind, "dumb") == 0)
        return !r->history || fault_set(fault, "--history needs a terminal with line editing");
    talk->editor = editor_open(r->history, fault);
    if (talk->editor || r->history) return talk->editor;
    if (!r->quiet) fprintf(stderr, "[lines are not edited: %s]\n", fault->text);
    return true;
}

static bool chat_open_eye(Talk *talk, Fault *fault) {
    const ChatRequest *r = talk->request;
    bool ok = !r->vision.mmproj || pictures_open(&talk->pictures, &r->vision, SHOWN_MOST,
                                                 &talk->loaded.session, r->compute.pool, fault);
    if (r->vision.mmproj) talk->next.of = &talk->pictures;
    for (size_t i = 0; ok && i < r->images.count; i++)
        ok = talk_add_picture(talk, r->images.items[i], fault);
    return ok;
}

/* Call talk_close even if this fails. */
static bool talk_open(Talk *talk, const ChatRequest *request, Fault *fault) {
    talk->request = request;
    talk->seed = request->seed;
    talk->terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (!chat_read_words(talk, fault) ||
        !loaded_open_model(&talk->loaded, request->model, &request->compute, fault) ||
        !compute_adapt(&request->compute, &talk->loaded.own, fault))
        return false;
    const Model *model = talk->loaded.model;
    if ((size_t)request->ctx > model->sizes.ctx)
        return fault_set(fault, "--ctx is %ld: wanted at most %zu, the model's", request->ctx,
                         model->sizes.ctx);
    return loaded_open_form(&talk->loaded, talk->request->form, &talk->form, fault) &&
           check_form(talk, fault) && talk_open_tools(talk, fault) &&
           talk_choose_chain(talk, request->chain, fault) &&
           loaded_open_session(&talk->loaded, &request->compute, (size_t)request->ctx, 2,
                               fault) &&
           engine_open(&talk->engine, &talk->loaded.session, fault) &&
           chat_open_eye(talk, fault) &&
           (!request->load || talk_load(talk, request->load, fault)) &&
           (!request->system || talk_set_system(talk, text_of(request->system), fault)) &&
           talk_check_full(talk, fault) && open_editor(talk, fault);
}

static void talk_close(Talk *talk) {
    talk_drop(talk, 0, talk->count);
    free(talk->turns);
    shown_release(&talk->next), pictures_close(&talk->pictures);
    engine_close(&talk->engine);
    chat_form_close(&talk->form);
    chain_close(&talk->chain), chain_close(&talk->must_call);
    json_free(talk->tools), token_list_free(&talk->marks);
    editor_close(talk->editor, &(Fault){0});
    token_list_free(&talk->tokens[0]), token_list_free(&talk->tokens[1]);
    if (talk->loaded.model) loaded_close(&talk->loaded);
}

/* ------------------------------------------------------------------ the conversation */

static void chat_interrupted(int signal) {
    (void)signal;
    talk_interrupted = 1;
}

static bool chat_take_line(Talk *talk, Text line, Fault *fault) {
    const char *zero = memchr(line.data, 0, line.size);
    if (zero)
        return fault_set(fault, "byte %zu of the line is zero: wanted text",
                         (size_t)(zero - line.data) + 1);
    if (line.data[0] == '/') return talk_order(talk, line, fault);
    if (talk_waits(talk))
        return talk_add(talk, "tool", line, (Text){0}, fault) && talk_reply(talk, fault);
    if (!talk_say(talk, line, &talk->next, fault)) return false;
    shown_release(&talk->next); /* the turn holds them */
    return talk_reply(talk, fault);
}

/* Returns whether all lines were answered. */
static bool converse(Talk *talk) {
    Fault fault;
    bool all = true;
    size_t size;
    for (char *line; !talk->over && (line = talk_line(talk, &size)); free(line)) {
        if (!size || chat_take_line(talk, (Text){line, size}, &fault)) continue;
        fprintf(stderr, "[%s]\n", fault.text);
        all = false;
    }
    return all || talk->terminal;
}

static ChatRequest asked = {
    .chain = chain_default, .full = "forget", .think = "show", .max_tokens = 1000, .seed = 1};

static int chat_run(void) {
    ChatRequest *request = &asked;
    Fault fault;
    Talk *talk = calloc(1, sizeof *talk);
    bool ok = talk || fault_set(&fault, "no memory for a conversation"), answered = true;
    ok = ok && choose_model(&request->model, &fault) && compute_open(&request->compute, &fault);
    ok = ok && talk_open(talk, request, &fault);
    if (ok) {
        struct sigaction action = {.sa_handler = chat_interrupted}, before;
        sigaction(SIGINT, &action, &before);
        if (!request->quiet)
            fprintf(stderr, "[%s; format: %s; /help lists the commands]\n", request->model,
                    talk->form.name);
        answered = converse(talk);
        sigaction(SIGINT, &before, NULL);
        ok = editor_close(talk->editor, &fault);
        talk->editor = NULL;
        if (ok && ferror(stdin)) ok = fault_set(&fault, "standard input cannot be read");
    }
    if (talk) talk_close(talk);
    compute_close(&request->compute);
    free(talk);
    if (!ok) return command_failed(&fault);
    return answered ? EXIT_DONE : EXIT_FAILED;
}

static const OptionRule chat_rules[] = {
    IMAGE_RULE,
    VISION_RULES,
    {"--tool-command --tool-choice", NEEDS, "--tools", "these are what is called"},
    {0},
};

static const Option chat_options[] = {
    MODEL_OPTION(asked.model),
    {"-n", OPT_INT(-1, OPTION_MANY), &asked.max_tokens, "N",
     "maximum tokens per answer (1000; -1: until the model stops or the context is full)"},
    {"--chain", OPT_TEXT, &asked.chain, "SPEC", "the sampler chain, as for strata generate"},
    {"--seed", OPT_SEED, &asked.seed, "N",
     "random seed; the same seed gives the same answers (1)"},
    {"--form", OPT_TEXT, &asked.form, "NAME",
     "chat format: a built-in one (chatml, llama3, ...) or a template, @FILE (the model's "
     "own)"},
    {"--system", OPT_TEXT, &asked.system, "TEXT", "system message"},
    {"--load", OPT_TEXT, &asked.load, "FILE", "resume a saved conversation"},
    {"--full", OPT_TEXT, &asked.full, "WHAT",
     "when the context is full: forget (drop the oldest turns), shift (drop the oldest tokens "
     "without recomputing, an approximation) or stop (forget)"},
    {"--think", OPT_TEXT, &asked.think, "WHAT",
     "the model's thinking: show, hide, or off where its template allows (show)"},
    {"--tools", OPT_TEXT, &asked.tools, "FILE",
     "tools as OpenAI's JSON array; you type the result of each call"},
    {"--tool-command", OPT_TEXT, &asked.tool_command, "PROGRAM",
     "program to run for every call (no shell): the call on stdin, the result on stdout"},
    {"--tool-choice", OPT_TEXT, &asked.tool_choice, "WHAT",
     "auto (call or not), or required: every answer begins with a call (auto)"},
    {"--ctx", OPT_INT(1, OPTION_MANY), &asked.ctx, "N",
     "context size in tokens (the model's, at most 4096)"},
    {"--history", OPT_TEXT, &asked.history, "FILE",
     "keep typed lines in this file, for the arrow keys"},
    {"--quiet", OPT_FLAG, &asked.quiet, NULL, "no line about the model at startup"},
    {"--image", OPT_LIST, &asked.images, "FILE",
     "an image (PNG, JPEG, PPM) for the first message (repeatable)"},
    VISION_OPTIONS(asked.vision),
    KV_OPTION(asked.compute),
    ADAPTER_OPTION(asked.compute),
    COMPUTE_OPTIONS(asked.compute),
    {0},
};

const Command command_chat = {
    .name = "chat",
    .usage = "chat [-m FILE] [options]",
    .about =
        "Chat with a model.  What you type is plain text: it never becomes a special token.",
    .examples = {"strata chat -m MODEL.gguf",
                 "strata chat -m MODEL.gguf --system \"Answer in rhymes.\""},
    .options = chat_options,
    .brief = "-m -n --chain --seed --system --load --ctx --threads",
    .rules = chat_rules,
    .run_status = chat_run};
