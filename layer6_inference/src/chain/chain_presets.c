/* chain_presets.c - chains by name: the defaults of other programs, and some of our own. */
#include "chain_read.h"

const char chain_default[] = "min_p:0.05,temp:0.8";

static const ChainPreset presets[] = {
    {"llama", "penalties:last=64,top_k:40,top_p:0.95,min_p:0.05,temp:0.8",
     "the defaults of llama.cpp: temperature last"},
    {"hf", "temp:1,top_k:50,top_p:1", "the defaults of Hugging Face: temperature first"},
    {"openai", "temp:1,top_p:1", "the defaults of the OpenAI API: the model as it is"},
    {"ollama", "penalties:rep=1.1:last=64,top_k:40,top_p:0.9,temp:0.8",
     "the defaults of Ollama"},
    {"precise", "min_p:0.2,temp:0.3", "few surprises"},
    {"balanced", chain_default, "what strata does when no chain is given"},
    {"creative", "min_p:0.03,dry:0.8,xtc:0.5:t=0.1,temp:1.1", "the unexpected, without loops"}};

size_t chain_presets(const ChainPreset **list) {
    *list = presets;
    return sizeof presets / sizeof *presets;
}

const ChainPreset *chain_preset_find(Text name) {
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (text_equal(name, text_of(presets[i].name))) return &presets[i];
    return NULL;
}
