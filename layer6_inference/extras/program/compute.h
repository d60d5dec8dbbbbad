/* compute.h - the shared options of computing commands: model, instruction set, threads. */
#ifndef STRATA_COMPUTE_H
#define STRATA_COMPUTE_H

#include "options.h"
#include "tokenizers.h"

/* The default model: STRATA_MODEL, the one installed beside the program, or the one in the
 * source tree. NULL: none. */
const char *default_model(char *text, size_t size);

/* The folder of the running program, with a slash.  False when it is unknown. */
bool program_folder(char *text, size_t size);

/* The model that was named, by its path or a name that strata pull brought, or the default one:
 * *model becomes its path, which stays until the program ends.
 *
 * Fails when none was named and none is found, and as model_find does. */
bool choose_model(const char **model, Fault *fault);

/* The tokenizer of a model that is chosen so: any file that has one.  NULL with a fault. */
Tokenizer *choose_tokenizer(const char **model, TokenStyle style, Fault *fault);

/* The options every computing command shares. */
typedef struct ComputeOptions {
    long threads;
    const char *isa;
    bool pin, no_pack;
    const char *wire;   /* "f32", "f16": numbers between machines; or NULL */
    bool file_on_first; /* only the first machine has the model's file */
    const char *shares; /* of the work, when mpirun starts several machines; or NULL */
    const char *split;  /* rows or layers; NULL: rows */
    const char *kv;     /* NULL where a command has no KV_OPTION */
    const char *rope;   /* NULL: auto */
    KvFormat kv_format;
    OptionList adapters; /* empty where a command has no ADAPTER_OPTION */
    Pool *pool;
} ComputeOptions;
#define ROPE_OPTION(m)                                                                 \
    {                                                                                  \
        "--longrope", OPT_TEXT, &(m).rope, "WHICH",                                    \
            "longrope's divisors: long or short (auto: long if the context is longer)" \
    }
/* Of commands that go through a text with a model. */
#define KV_OPTION(m)                                                                  \
    ROPE_OPTION(m), {                                                                 \
        "--kv", OPT_TEXT, &(m).kv, "FORMAT",                                          \
            "KV cache format: f16 (default), f32, bf16, q8_0, q8_0-h, q4_0 or q4_0-h" \
    }
/* Of those whose answer is numbers, not text. */
#define KV_F32_OPTION(m)                                                                   \
    ROPE_OPTION(m), {                                                                      \
        "--kv", OPT_TEXT, &(m).kv, "FORMAT",                                               \
            "KV cache format: f32 (default here), f16, bf16, q8_0, q8_0-h, q4_0 or q4_0-h" \
    }
#define ADAPTER_OPTION(m)                                                  \
    {                                                                      \
        "--adapter", OPT_LIST, &(m).adapters, "FILE[=X]",                  \
            "apply a LoRA adapter (GGUF file or PEFT folder), scaled by X" \
    }
/* Of commands that compute ... */
#define THREAD_OPTIONS(m)                                                            \
    {"-t, --threads", OPT_INT(0, 256), &(m).threads, "N",                            \
     "compute threads (0: one per core)"},                                           \
    {                                                                                \
        "--isa", OPT_TEXT, &(m).isa, "NAME", "instruction set: auto, " KERNELS_KNOWN \
    }
#define PIN_OPTION(m) \
    { "--pin", OPT_FLAG, &(m).pin, NULL, "pin each thread to a core of its own" }
/* ... of those that run a model, and pin their threads or have none to pin ... */
#define MODEL_OPTIONS(m)                                                                     \
    THREAD_OPTIONS(m),                                                                       \
        {"--no-pack", OPT_FLAG, &(m).no_pack, NULL,                                          \
         "use the weights as stored, without repacking: starts at once, computes slower"},   \
        {"--file-on-first", OPT_FLAG, &(m).file_on_first, NULL,                              \
         "on several machines: only the first one has the model's file, and sends each "     \
         "other one its share"},                                                             \
        {"--shares", OPT_TEXT, &(m).shares, "A:B:...",                                       \
         "on several machines, which mpirun -n N starts: how much of the model each "        \
         "computes (1:1:...)"},                                                              \
        {"--split", OPT_TEXT, &(m).split, "WHAT",                                            \
         "on several machines: rows (each has some of every matrix) or layers (each has "    \
         "some of them: few messages, for slow networks)"},                                  \
    {                                                                                        \
        "--wire", OPT_TEXT, &(m).wire, "TYPE",                                               \
            "on several machines: numbers travel as f32, or as f16, which halves the bytes " \
            "and rounds (f32)"                                                               \
    }
/* ... and of those that run one with threads of their own. */
#define COMPUTE_OPTIONS(m) MODEL_OPTIONS(m), PIN_OPTION(m)

/* Seconds of the processor that this process has used: with one thread what work takes, however
 * busy the machine is. */
double own_seconds(void);

bool compute_open(ComputeOptions *compute, Fault *fault);
void compute_close(ComputeOptions *compute);

/* Open a model and repack its quantized weights, with a progress bar when that takes long. */
bool compute_load_model(const ComputeOptions *compute, const char *path, Model *model,
                        Fault *fault);

/* Close it: first the other machines' shares, which point into it.  One that is closed already,
 * or zero: nothing. */
void compute_close_model(Model *model);

/* Apply the adapters. */
bool compute_adapt(const ComputeOptions *compute, Model *model, Fault *fault);

#endif
