/* parts.h - what a conversion is made of; private to extras/convert.
 *
 *     families.c   the table of classes of models, and their rules for names
 *     folder.c     the files of a folder, and all their tensors by name
 *     rules.c      which of our tensors are made from which of theirs
 *     rows.c       a row of one of ours, computed from theirs
 *     config.c     config.json as keys, one by one, by the table in config_keys.c;  sizes.c: what several say together
 *     rope_scaling.c    how a context was stretched;  values.c: what is read from JSON
 *     agree.c      what config.json and tensors both say
 *     vectors.c    how a text becomes one vector, or scores
 *     vocab.c      tokens with their ids, types and scores;  words.c, splits.c, unigram.c,
 *                  wordpiece.c: tokenizer.json
 *     pieces.c     tokenizer.model
 *     markers.c    which tokens begin and end a text;  processor.c: which of them are written by themselves
 *     convert.c    the whole */
#ifndef STRATA_CONVERT_PARTS_H
#define STRATA_CONVERT_PARTS_H

#include "converter.h"
#include "families.h"
#include "model.h"
#include "json.h"
#include "region.h"
#include "safetensors.h"

/* ------------------------------------------------------------------ tables */

/* What happens to a tensor on its way. */
typedef enum Change {
    AS_IS,
    PERMUTED_Q,  /* rows of each head interleaved, as the rotation here wants pairs */
    PERMUTED_K,  /* the same of heads of keys */
    TRANSPOSED,  /* (in, out) there */
    BY_HEADS,    /* rows there: q, k, v of head 0, of head 1, ...;  here: all q, all k, all v */
    MINUS_EXP,   /* a = -exp(log a) */
    FIRST_HALF,  /* gate and up in one: gate */
    SECOND_HALF, /* and up */
    COLUMN,      /* (n) there, (n, 1) here */
    SQUEEZED,    /* (n, 1, k) there, (n, k) here */
    GROUPED,     /* (n) there, (groups, n / groups) here */
    AFTER_PAD,   /* positions there are counted from behind the padding token's id */
    DROPPED,     /* follows from the rest */
} Change;

/* "layers.#.mlp.experts.%.up_proj": # is a layer, % an expert; what stands behind (.weight, .bias)
 * stays.  With % the tensors of all experts become one. */
typedef struct NameRule {
    const char *theirs; /* NULL ends a list */
    const char *ours;   /* "blk.#.ffn_up_exps" */
    Change change;
} NameRule;

enum { MAX_RULE_LISTS = 6 };

struct ConvertFamily {
    const char *architecture; /* "LlamaForCausalLM" */
    const char *arch;         /* "llama" */
    const char *prefix;       /* that names may begin with */
    const NameRule *rules[MAX_RULE_LISTS];
    bool add_one; /* a norm's gain there is 1 less */
    /* keys of config.json whose default is another one here, separated by spaces; '|': or; '?': null will do */
    const char *needs;
};

/* NULL, with a fault: not built in. */
const ConvertFamily *family_of(const JsonValue *config, Fault *fault);

/* ------------------------------------------------------------------ a folder */

typedef struct Folder {
    const char *path;
    Json *config;           /* config.json, owns */
    const JsonValue *sizes; /* in it: of the model that reads text */
    struct Part *parts;     /* (n_parts) owns: files of numbers */
    size_t n_parts;
    SafeTensor *tensors; /* (n_tensors) owns; by name */
    size_t n_tensors;
} Folder;

bool folder_open(Folder *folder, const char *path, Fault *fault);
void folder_close(Folder *folder);

/* A file of the folder as JSON; NULL without a fault text: it is not there (when `optional`). */
Json *folder_json(const Folder *folder, const char *name, bool optional, Fault *fault);

/* A file of the folder in memory; false without a fault text: it is not there. */
bool folder_map(const Folder *folder, const char *name, FileMap *map, Fault *fault);
bool folder_has(const Folder *folder, const char *name);

/* Is the file at `path` one of a folder's, and no GGUF file? */
bool folder_owns(const char *folder, const char *path);

/* ------------------------------------------------------------------ one conversion */

/* One of our tensors. */
typedef struct Target {
    char name[96];
    Change change;
    bool add_one;
    const SafeTensor **parts; /* (n_parts) owns; of experts, one for each */
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
    size_t layers, heads, kv_heads, head_dim, groups; /* that changes of rows ask for */
    size_t first_position;                            /* there, where ours are counted from 0 */
    Target *targets;                                  /* (n_targets) owns */
    size_t n_targets;
    bool strips;          /* white space beside its special tokens is dropped: Phi 3 */
    bool lowers;          /* capital letters become small ones before text is cut */
    float *rope_divisors; /* (n_divisors) owns; NULL: none */
    size_t n_divisors;
    Fault *fault;
} Conversion;

/* "Q is not known" with printf arguments; returns false. */
#define REFUSE(c, ...) fault_set((c)->fault, __VA_ARGS__)

/* convert.c: a sentence of at most 300 bytes about something that GGUF cannot say. */
void convert_note(const Conversion *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* rules.c: all targets of the folder. */
bool plan_targets(Conversion *c);
void free_targets(Conversion *c);

/* The name here of one of their modules ("model.layers.0.self_attn.q_proj") in models of a family, without
 * suffix, and what changes on the way; false: none has it, or it becomes no matrix of its own. */
bool name_here(const char *arch, Text theirs, char *ours, size_t size, Change *change);

/* families.c: number `index` of the table; NULL: there are no more. */
const ConvertFamily *family_at(size_t index);

/* Is a model of this family's head always its embedding, whatever config.json says? */
bool always_tied(const Conversion *c);

/* rows.c: row `row` of all rows of a target. */
size_t target_rows(const Target *target);
void target_row(const Conversion *c, const Target *target, size_t row, float *out);

/* config.c, sizes.c, rope_scaling.c: keys into c->writer. */
bool put_config(Conversion *c);
bool put_sizes(Conversion *c);
bool put_rope_scaling(Conversion *c, const JsonValue *scaling);

/* vectors.c: keys of what makes vectors and scores, once the targets are known. */
bool put_vectors(Conversion *c);

/* ------------------------------------------------------------------ keys of config.json */

typedef enum KeyUse {
    SIZE,   /* a whole number: the key here */
    NUMBER, /* a number: likewise */
    FLAG,   /* true or false: likewise */
    ONLY,   /* one of these values, separated by spaces */
    READ,   /* elsewhere in this folder of sources */
    NOTHING /* changes nothing */
} KeyUse;

typedef struct ConfigKey {
    const char *name;
    KeyUse use;
    const char *ours;  /* "attention.head_count", or the values */
    const char *archs; /* only of these families, separated by spaces; NULL: all */
} ConfigKey;

/* What is done to a score where nothing is. */
#define IDENTITY "torch.nn.modules.linear.Identity"

/* config_keys.c: what is known of a key in models of this family; NULL: nothing. */
const ConfigKey *config_key(const Conversion *c, Text name);
bool listed(const char *words, Text word); /* is it one of these, between spaces?  "" is none */

/* agree.c: do config.json and the targets say the same?  rows: of the embedding. */
bool check_agreement(const Conversion *c, size_t rows);
const Target *target_of(const Conversion *c, const char *name); /* NULL: none is called so */

/* A key "<arch>.<name>" of the file that is written. */
void put_size(Conversion *c, const char *name, size_t value);
void put_number(Conversion *c, const char *name, double value);

/* values.c: numbers as JSON has them. */
bool json_size(const JsonValue *value, size_t *size);
bool json_number(const JsonValue *value, double *number);
bool json_is(const JsonValue *value, const char *text); /* a string of these bytes */
bool json_true(const JsonValue *object, const char *key);
size_t size_or(const JsonValue *object, const char *key, size_t otherwise);

/* ------------------------------------------------------------------ words */

typedef struct Vocab {
    Region region; /* spellings that no file holds */
    Text *tokens;  /* (count) owns; data NULL: no token has this id */
    int64_t *types;
    double *scores;
    size_t count;
    int64_t unknown; /* the token of what is none, where its file says; -1 */
    bool has_scores;
    bool wordpiece; /* BERT's: [CLS] text [SEP], always */
} Vocab;

bool vocab_init(Vocab *vocab, size_t count, Fault *fault);
void vocab_free(Vocab *vocab);
/* Fails when the id has another token, or is beyond those that the embedding has (unless `spare`). */
bool vocab_set(Vocab *vocab, size_t id, Text token, int type, double score, bool spare,
               Fault *fault);
int64_t vocab_id(const Vocab *vocab, Text token); /* -1: none */

/* All keys of the tokenizer: from the folder's files, or of a vocabulary that was read from them.
 *
 *   root   tokenizer.json; NULL: there is none */
bool put_words(Conversion *c, size_t vocab);
bool put_vocab(Conversion *c, Vocab *vocab, const JsonValue *root);

/* splits.c: the rule by which tokenizer.json splits text.  *plain: a space is written as U+2581 and merges
 * are of characters; else they are of bytes, and `pre` names the rule. */
bool read_splits(Conversion *c, const JsonValue *root, bool *plain, const char **pre);

/* words.c and pieces.c: the tokens of one kind of file, with the keys that only they know. */
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
 *   map      a table of what characters are written as; size 0: none
 *   prefix   a space stands in front;  merge: runs of spaces are one */
bool put_unigram(Conversion *c, Text map, bool prefix, bool merge);

/* processor.c: the tokens that tokenizer.json writes around a text and, beside these, between two.
 *
 *   step   its post_processor; NULL or one that writes none: *written stays as it is */
typedef struct Written {
    bool said;                      /* there is a processor that says so */
    int64_t front, behind, between; /* ids; -1: none */
} Written;
bool read_processor(Conversion *c, const Vocab *vocab, const JsonValue *step, Written *written);

/* markers.c */
bool put_markers(Conversion *c, const Vocab *vocab, const JsonValue *root);

#endif
