/* loader_case.h - a small model with one edit, and what the loader must answer. */
#ifndef STRATA_LOADER_CASE_H
#define STRATA_LOADER_CASE_H

#include "check.h"
#include "edit_model.h"

#define KEY(name, ...) \
    { .key = name, __VA_ARGS__ }
#define FLAG(name, value)     KEY(name, .type = GGUF_BOOL, .number = value)
#define WHOLE(name, value)    KEY(name, .type = GGUF_U32, .number = value)
#define REAL(name, value)     KEY(name, .type = GGUF_F32, .number = value)
#define WORD(name, value)     KEY(name, .type = GGUF_STRING, .text = value)
#define LIST(name, value, n)  KEY(name, .type = GGUF_ARRAY, .number = value, .count = n)
#define WORDS(name, value, n) KEY(name, .type = GGUF_ARRAY, .text = value, .count = n)
#define GONE(name)            KEY(name, .type = GGUF_TYPES)
#define EXTRA(name, ...)                         \
    {                                            \
        .tensor = name, .shape = { __VA_ARGS__ } \
    }

/* One edit of a model that opens, and what the fault must contain; NULL: it still opens. */
typedef struct Case {
    const char *arch;
    Edit edit;
    const char *says;
} Case;

/* A family, and maybe more words: "falcon two_norms". */
static inline MakeModel small(const char *arch) {
    static char name[40];
    if (strcmp(arch, "mixtral") == 0) arch = "llama experts:4";
    if (strcmp(arch, "yarn") == 0) arch = "llama yarn";
    const char *more = strchr(arch, ' ');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(arch, " "), arch);
    MakeModel m = make_model_of(name, more ? more + 1 : NULL);
    m.layers = make_says(&m, "own_kv") || make_says(&m, "guesses") ? m.layers : 3;
    m.dim = m.hidden = 16, m.heads = 4, m.head_dim = 4, m.ctx = 32;
    if (strcmp(arch, "gpt2") != 0) m.kv_heads = 2;
    if (make_says(&m, "sees")) m.hidden = 24;
    if (m.window) m.window = 6;
    return m;
}

static inline void check_cases(const Case *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        MakeModel m = small(cases[i].arch);
        size_t size, edited_size;
        Model model;
        Fault fault = {""};
        unsigned char *bytes = make_model(&m, &size),
                      *edited = edit_model(bytes, size, &cases[i].edit, &edited_size);
        const char *name = cases[i].edit.key ? cases[i].edit.key : cases[i].edit.tensor;
        assert_non_null(edited);
        bool opened = model_open_memory(&model, edited, edited_size, &fault);
        if (opened) model_close(&model);
        if (opened != !cases[i].says)
            fail_msg("%s, %s: %s", cases[i].arch, name, opened ? "it opens" : fault.text);
        if (cases[i].says) assert_contains(fault.text, cases[i].says);
        free(bytes), free(edited);
    }
}

#define CHECK(cases) check_cases(cases, sizeof cases / sizeof *(cases))

#endif
