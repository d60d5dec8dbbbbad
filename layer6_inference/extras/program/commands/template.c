/* template.c - strata template: renders a chat template with variables. */
#include "commands.h"
#include "input.h"
#include "compute.h"
#include "json.h"
#include "template.h"

#include <stdlib.h>
#include <string.h>

static struct {
    const char *template, *model, *input, *now;
    bool show_user, show_source;
} asked;

/* A copy of the model's own template; NULL if it has none. */
static char *model_template(const char *path, size_t *size, Fault *fault) {
    GgufFile file;
    Gguf gguf;
    Text text = {0};
    if (!choose_model(&path, fault) || !gguf_open(&file, &gguf, path, fault)) return NULL;
    const GgufPair *pair = gguf_find(&gguf, "tokenizer.chat_template");
    char *copy = NULL;
    if (!pair || !gguf_string(pair, &text))
        fault_set(fault, "%.200s has no tokenizer.chat_template", path);
    else if (!(copy = malloc(text.size + 1)))
        fault_set(fault, "no memory for a template");
    else
        memcpy(copy, text.data, *size = text.size);
    gguf_close(&file, &gguf);
    return copy;
}

/* 2026-07-26 12:34:56, or the current time. */
static bool read_template_now(const char *text, struct tm *now, Fault *fault) {
    time_t seconds = time(NULL);
    if (!text) return localtime_r(&seconds, now) != NULL;
    *now = (struct tm){0};
    const char *end = strptime(text, "%Y-%m-%d %H:%M:%S", now);
    struct tm same = *now;
    same.tm_isdst = -1;
    mktime(&same);
    bool exists = end && !*end && same.tm_mday == now->tm_mday;
    return exists ||
           fault_set(fault, "--now is '%.60s': wanted a time as 2026-07-26 12:34:56", text);
}

/* The text; with --show-user, user text is coloured, or between [[ and ]]. */
static void print_rendered(const Rendered *r, bool show_user) {
    bool user = false;
    for (size_t i = 0; i < r->size; i++) {
        if (show_user && (r->user[i] != 0) != user)
            fputs((user = r->user[i]) ? "[[" : "]]", stdout);
        putchar(r->text[i]);
    }
    if (user) fputs("]]", stdout);
}

static int render_job(Text source, const JsonValue *variables, Fault *fault) {
    Rendered rendered;
    struct tm now;
    if (!read_template_now(asked.now, &now, fault)) return command_failed(fault);
    Template *tree = template_read(source, fault);
    bool ok = tree && template_render(tree, variables, &now, &rendered, fault);
    template_free(tree);
    if (!ok) {
        command_failed(fault);
        return fault_is_memory(fault) ? EXIT_FAILED : EXIT_REFUSED;
    }
    print_rendered(&rendered, asked.show_user);
    rendered_free(&rendered);
    return EXIT_DONE;
}

static int template_run(void) {
    Fault fault;
    size_t size = 0, input_size = 0;
    int status = EXIT_FAILED;
    char *source = asked.template ? read_named(asked.template, &size, &fault)
                                  : model_template(asked.model, &size, &fault);
    char *input = source && asked.input ? read_named(asked.input, &input_size, &fault) : NULL;
    Json *json = input ? json_read((Text){input, input_size}, &fault) : NULL;
    if (source && asked.show_source)
        status = fwrite(source, 1, size, stdout) == size ? EXIT_DONE : EXIT_FAILED;
    else if (json)
        status = render_job((Text){source, size}, json_root(json), &fault);
    else
        status = command_failed(&fault);
    json_free(json), free(input), free(source);
    return status;
}

static const OptionRule template_rules[] = {
    {"--template", NOT_WITH, "-m", "one template at a time"},
    {"--source", NOT_WITH, "--input --now --show-user", "it prints the template unrendered"},
    {0}};

static const Option template_options[] = {
    {"--template", OPT_TEXT, &asked.template, "FILE", "a template (-: stdin)"},
    {"-m", OPT_TEXT, &asked.model, "FILE", "use this model's template"},
    {"--input", OPT_TEXT, &asked.input, "FILE",
     "its variables, a JSON object {\"messages\": [...], ...} (-: stdin)"},
    {"--now", OPT_TEXT, &asked.now, "TIME",
     "the time for strftime_now, as 2026-07-26 12:34:56 (the clock)"},
    {"--show-user", OPT_FLAG, &asked.show_user, NULL,
     "mark text from the variables with [[ and ]]: it never becomes a special token"},
    {"--source", OPT_FLAG, &asked.show_source, NULL, "print the template itself"},
    {0},
};

static bool template_check(Fault *fault) {
    if (!asked.template && !asked.model)
        return fault_set(fault, "no template: give --template FILE or -m FILE");
    if (!asked.input && !asked.show_source)
        return fault_set(fault, "no variables: give --input FILE.json");
    return !asked.input || !asked.template || strcmp(asked.input, "-") != 0 ||
           strcmp(asked.template, "-") != 0 ||
           fault_set(fault, "--template and --input cannot both read standard input");
}

const Command command_template = {
    .name = "template",
    .usage = "template --template FILE | -m FILE, --input FILE.json",
    .about =
        "Render a conversation with a chat template.  Exit status 3: the template refuses it.",
    .options = template_options,
    .rules = template_rules,
    .check = template_check,
    .run_status = template_run};
