/* parts.h - the steps of a conversion; private to extras/convert.
 *
 *     families.c      the table of classes of models, and their rules for names
 *     folder.c        the files of a folder, and all their tensors by name
 *     rules.c         which of our tensors are made from which of theirs
 *     rows.c          a row of one of ours, computed from theirs
 *     config.c        config.json as keys, by the table in config_keys.c
 *     sizes.c         keys that follow from several keys of config.json
 *     rope_scaling.c  rope scaling;  values.c: reading JSON
 *     agree.c         facts that config.json and tensors share
 *     vectors.c       pooling, scores
 *     vocab.c         tokens with their ids, types and scores
 *     words.c, splits.c, unigram.c, wordpiece.c   tokenizer.json
 *     pieces.c        tokenizer.model
 *     markers.c       special tokens;  processor.c: which are added automatically
 *     convert.c       all of it */
#ifndef STRATA_CONVERT_PARTS_H
#define STRATA_CONVERT_PARTS_H

#include "converter.h"
#include "families.h"
#include "model.h"
#include "json.h"
#include "region.h"
#include "safetensors.h"

/* ------------------------------------------------------------------ tables */

/* How a tensor changes. */
typedef enum Change {
    AS_IS,
    PERMUTED_Q,  /* rows of each head interleaved, for rotated pairs (0, 1), (2, 3), ... */
    PERMUTED_K,  /* the same for key heads */
    TRANSPOSED,  /* (in, out) there */
    BY_HEADS,    /* rows there: q, k, v of head 0, of head 1, ...;  here: all q, all k, all v */
    MINUS_EXP,   /* a = -exp(log a) */
    FIRST_HALF,  /* gate and up fused: the gate */
    SECOND_HALF, /* and up */
    COLUMN,      /* (n) there, (n, 1) here */
    SQUEEZED,    /* (n, 1, k) there, (n, k) here */
    GROUPED,     /* (n) there, (groups, n / groups) here */
    AFTER_PAD,   /* positions there start after the padding token's id */
    DROPPED,     /* redundant */
} Change;

/* "layers.#.mlp.experts.%.up_proj": # is a layer, % an expert; suffixes (.weight, .bias) stay.
 * With % the tensors of all experts are stacked into one. */
typedef struct NameRule {
    const char *theirs; /* NULL ends a list */
    const char *ours;   /* "blk.#.ffn_up_exps" */
    Change change;
} NameRule;

enum { MAX_RULE_LISTS = 6 };

struct ConvertFamily {
    const char *architecture; /* "LlamaForCausalLM" */
    const char *arch;         /* "llama" */
    const char *prefix;       /* an optional prefix of names */
    const NameRule *rules[MAX_RULE_LISTS];
    bool add_one; /* norm gains there are 1 less */
    /* keys of config.json that are required because their defaults differ, separated by spaces;
     * '|': or; '?': null is allowed */
    const char *needs;
};

/* NULL, with a fault: not supported. */
const ConvertFamily *family_of(const JsonValue *config, Fault *fault);

/* ------------------------------------------------------------------ a folder */

typedef struct Folder {
    const char *path;
    Json *config;           /* config.json, owns */
    const JsonValue *sizes; /* in it: those of the language model */
    struct Part *parts;     /* (n_parts) owns: files of weights */
    size_t n_parts;
    SafeTensor *tensors; /* (n_tensors) owns; by name */
    size_t n_tensors;
} Folder;

bool folder_open(Folder *folder, const char *path, Fault *fault);
void folder_close(Folder *folder);

/* A file of the folder as JSON; NULL without a fault text: it does not exist (when
 * `optional`). */
Json *folder_json(const Folder *folder, const char *name, bool optional, Fault *fault);

/* A file of the folder in memory; false without a fault text: it does not exist. */
bool folder_map(const Folder *folder, const char *name, FileMap *map, Fault *fault);
bool folder_has(const Folder *folder, const char *name);

/* Is the file at `path` one of a folder's, and not a GGUF file? */
bool folder_owns(const char *folder, const char *path);

/* ------------------------------------------------------------------ one conversion */

/* One of our tensors. */
typedef struct Target {
    char name[96];
    Change change;
    bool add_one;
    const SafeTensor **parts; /* (n_parts) owns; one per expert */
    size_t n_parts;
    int ndim;
    size_t shape[TENSOR_MAX_DIMS];
    Dtype dtype;
} Target;

typedef struct Conversion {
    const Convert *how;
    const ConvertFamily *family;
    const Recipe *recipe;
    Folder folder;
    GgufWriter *writer;
    size_t layers, heads, kv_heads, head_dim, groups; /* for changes of rows */
    size_t first_position;                            /* theirs; ours are counted from 0 */
    Target *targets;                                  /* (n_targets) owns */
    size_t n_targets;
    bool strips;          /* white space beside its special tokens is dropped: Phi 3 */
    bool lowers;          /* text is lower-cased before it is split */
    float *rope_divisors; /* (n_divisors) owns; NULL: none */
    size_t n_divisors;
    Fault *fault;
} Conversion;

/* fault_set with printf arguments; returns false. */
#define REFUSE(c, ...) fault_set((c)->fault, __VA_ARGS__)

/* convert.c: a sentence of at most 300 bytes about something that GGUF cannot express. */
void convert_note(const Conversion *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* rules.c: all targets of the folder. */
bool plan_targets(Conversion *c);
void free_targets(Conversion *c);

/* Our name for one of their modules ("model.layers.0.self_attn.q_proj") in a family, without
 * suffix, and how it changes; false: none, or it does not become a matrix of its own. */
bool name_here(const char *arch, Text theirs, char *ours, size_t size, Change *change);

/* families.c: number `index` of the table; NULL: the end. */
const ConvertFamily *family_at(size_t index);

/* Does this family always tie its head, whatever config.json says? */
bool always_tied(const Conversion *c);

/* rows.c: a row of a target, numbered over all its parts. */
size_t target_rows(const Target *target);
void target_row(const Conversion *c, const Target *target, size_t row, float *out);

/* config.c, sizes.c, rope_scaling.c: keys into c->writer. */
bool put_config(Conversion *c);
bool put_sizes(Conversion *c);
bool put_rope_scaling(Conversion *c, const JsonValue *scaling);

/* vectors.c: keys for vectors and scores, once the targets are known. */
bool put_vectors(Conversion *c);

/* ------------------------------------------------------------------ keys of config.json */

typedef enum KeyUse {
    SIZE,   /* an integer: our key */
    NUMBER, /* a number: our key */
    FLAG,   /* true or false: our key */
    ONLY,   /* one of these values, separated by spaces */
    READ,   /* handled elsewhere in this folder of sources */
    NOTHING /* changes nothing */
} KeyUse;

typedef struct ConfigKey {
    const char *name;
    KeyUse use;
    const char *ours;  /* "attention.head_count", or the values */
    const char *archs; /* only of these families, separated by spaces; NULL: all */
} ConfigKey;

/* No activation on a score. */
#define IDENTITY "torch.nn.modules.linear.Identity"

/* config_keys.c: the row of a key in models of this family; NULL: unknown. */
const ConfigKey *config_key(const Conversion *c, Text name);
bool listed(const char *words, Text word); /* is it one of these words?  "" is not */

/* agree.c: do config.json and the targets agree?  rows: of the embedding. */
bool check_agreement(const Conversion *c, size_t rows);
const Target *target_of(const Conversion *c, const char *name); /* NULL: none is called so */

/* "<arch>.<name>" into the file. */
void put_size(Conversion *c, const char *name, size_t value);
void put_number(Conversion *c, const char *name, double value);

/* values.c: reading JSON. */
bool json_size(const JsonValue *value, size_t *size);
bool json_number(const JsonValue *value, double *number);
bool json_is(const JsonValue *value, const char *text); /* a string of these bytes */
bool json_true(const JsonValue *object, const char *key);
size_t size_or(const JsonValue *object, const char *key, size_t otherwise);

/* ------------------------------------------------------------------ words */

typedef struct Vocab {
    Region region; /* names that are in no file */
    Text *tokens;  /* (count) owns; data NULL: no token with this id */
    int64_t *types;
    double *scores;
    size_t count;
    int64_t unknown; /* the unknown token, if the file names it; -1 */
    bool has_scores;
    bool wordpiece; /* BERT: always [CLS] text [SEP] */
} Vocab;

bool vocab_init(Vocab *vocab, size_t count, Fault *fault);
void vocab_free(Vocab *vocab);
/* Fails when the id has another token, or is outside the embedding (unless `spare`). */
bool vocab_set(Vocab *vocab, size_t id, Text token, int type, double score, bool spare,
               Fault *fault);
int64_t vocab_id(const Vocab *vocab, Text token); /* -1: none */

/* All keys of the tokenizer, from the folder's files or from a vocabulary.
 *
 *   root   tokenizer.json; NULL: none */
bool put_words(Conversion *c, size_t vocab);
bool put_vocab(Conversion *c, Vocab *vocab, const JsonValue *root);

/* splits.c: the pre-tokenizer of tokenizer.json.  *plain: spaces are written as U+2581 and
 * merges are of characters; else of bytes, and `pre` names the rule. */
bool read_splits(Conversion *c, const JsonValue *root, bool *plain, const char **pre);

/* words.c and pieces.c: the tokens of one kind of file, and the keys that only it has. */
bool read_tokenizer_json(Conversion *c, Vocab *vocab, const JsonValue *root);
bool read_tokenizer_model(Conversion *c, Vocab *vocab, const FileMap *file);
bool read_added(Conversion *c, Vocab *vocab, const JsonValue *added);
bool read_unigram(Conversion *c, Vocab *vocab, const JsonValue *root);
bool read_wordpiece(Conversion *c, Vocab *vocab, const JsonValue *root);
bool read_word_list(Conversion *c, Vocab *vocab, const FileMap *file); /* vocab.txt */

/* words.c: {"a": 0, "b": 1, ...}; `plain`: <0x0A> is a byte. */
bool read_vocab(Conversion *c, Vocab *vocab, const JsonValue *model, bool plain);

/* unigram.c: the keys of a Unigram tokenizer.
 *
 *   map      a normalization table; size 0: none
 *   prefix   add a space in front;  merge: merge runs of spaces */
bool put_unigram(Conversion *c, Text map, bool prefix, bool merge);

/* processor.c: the tokens that tokenizer.json adds around a text and between two.
 *
 *   step   its post_processor; NULL or one without tokens: *written is unchanged */
typedef struct Written {
    bool said;                      /* there is a processor for them */
    int64_t front, behind, between; /* ids; -1: none */
} Written;
bool read_processor(Conversion *c, const Vocab *vocab, const JsonValue *step, Written *written);

/* markers.c */
bool put_markers(Conversion *c, const Vocab *vocab, const JsonValue *root);

#endif
