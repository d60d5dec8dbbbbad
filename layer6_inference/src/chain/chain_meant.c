/* chain_meant.c - which stage an unknown name means: another program's name, or a typo.  See
 * chain.h. */
#include "chain.h"
#include "nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Names in llama.cpp, Ollama, Transformers and the OpenAI API, without - and _. */
static const struct {
    const char *name, *spec;
} others[] = {{"temperature", "temp:"},
              {"nucleus", "top_p:"},
              {"typicalp", "typical:"},
              {"typp", "typical:"},
              {"epsiloncutoff", "epsilon:"},
              {"etacutoff", "eta:"},
              {"topnsigma", "top_n_sigma:"},
              {"logitbias", "bias:"},
              {"repeatpenalty", "penalties:rep="},
              {"repetitionpenalty", "penalties:rep="},
              {"presencepenalty", "penalties:pres="},
              {"frequencypenalty", "penalties:freq="},
              {"repeatlastn", "penalties:last="},
              {"drymultiplier", "dry:"},
              {"xtcprobability", "xtc:"},
              {"xtcthreshold", "xtc:0.5:t="},
              {"mirostattau", "mirostat_v2:"},
              {"mirostatent", "mirostat_v2:"},
              {"guidancescale", "cfg:"},
              {"cfgscale", "cfg:"},
              {"norepeatngramsize", "no_repeat:"},
              {"penaltyalpha", "contrastive_search:"},
              {"argmax", "greedy"},
              {"sample", "draw"},
              {"badwords", "ban:"},
              {"suppresstokens", "suppress:"}};

/* For comparison: "top-k" becomes "topk". */
static void squeeze(Text name, char *out, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < name.size && n + 1 < size; i++)
        if (name.data[i] != '-' && name.data[i] != '_')
            out[n++] = (char)tolower((unsigned char)name.data[i]);
    out[n] = 0;
}

static void list_names(char *out, size_t size) {
    const StageKind *const *list;
    const ChainPreset *presets;
    size_t count = stage_list(&list), n_presets = chain_presets(&presets), n = 0;
    *out = 0;
    for (size_t i = 0; i < count + n_presets && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s ",
                              i < count ? list[i]->name : presets[i - count].name);
}

static bool is_squeezed(const char *name, const char *plain) {
    char other[64];
    squeeze(text_of(name), other, sizeof other);
    return strcmp(other, plain) == 0;
}

/* How a stage begins in a chain: its name, with a colon if a value follows. */
static bool write_stage(const StageKind *kind, char *out, size_t size) {
    bool value = kind->params[0].key || kind->list != LIST_NONE;
    return snprintf(out, size, "%s%s", kind->name, value ? ":" : "") > 0;
}

bool chain_meant_alias(Text name, char *out, size_t size) {
    const StageKind *const *list;
    char plain[64];
    squeeze(name, plain, sizeof plain);
    for (size_t i = 0, n = stage_list(&list); i < n; i++)
        if (is_squeezed(list[i]->name, plain)) return write_stage(list[i], out, size);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i].name, plain) == 0)
            return snprintf(out, size, "%s", others[i].spec) > 0;
    return false;
}

bool chain_meant(Text name, char *out, size_t size) {
    char names[1000];
    if (chain_meant_alias(name, out, size)) return true;
    list_names(names, sizeof names);
    Text near = nearest_name(name, names);
    const StageKind *kind = near.size ? stage_find(near) : NULL;
    if (kind) return write_stage(kind, out, size);
    return near.size && snprintf(out, size, "%.*s", (int)near.size, near.data) > 0;
}
