/* parts.h - the steps of a conversion; private to extras/convert.
 *
 *     families.c      the table of classes;  name_rules.h: their names of tensors
 *     language.c      the language model in a folder with other parts
 *     folder.c        the files of a folder, and all their tensors by name
 *     rules.c         which of our tensors are made from which of theirs;  shapes.c: shapes
 *     rows.c          a row of one of ours, computed from theirs
 *     config.c        config.json as keys, by the table in config_keys.c
 *     sizes.c         keys that follow from several of config.json;  formulas.c: by a formula
 *     layers.c        lists of something for each layer, as the tensors have it
 *     lists.c         the same, as config.json has it;  overrides.c: of single layers
 *     rope_scaling.c  rope scaling;  rope_divisors.c: as tensors;  values.c: reading JSON
 *     beside.c        draft heads;  towers.c: vision towers;  pictures.c: their pictures
 *     agree.c         facts that config.json and tensors share
 *     vectors.c       pooling, scores
 *     vocab.c         tokens with their ids, types and scores
 *     words.c, splits.c, unigram.c, wordpiece.c, forms.c   tokenizer.json
 *     pieces.c        tokenizer.model
 *     tiktoken.c, world_words.c   vocabularies of Qwen 1, Hunyuan and Kimi; of RWKV
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
#include "vision_tower.h"

/* ------------------------------------------------------------------ tables */

/* How a tensor changes. */
/* clang-format off */
typedef enum Change {
    AS_IS,
    PERMUTED_Q, /* rows of each head interleaved, for rotated pairs (0, 1), (2, 3), ... */
    PERMUTED_K, /* the same for key heads */
    TRANSPOSED, /* (in, out) there; of experts, each of them */
    REMIXED,    /* the same, and of five parts the first and the fourth change places */
    BY_HEADS,   /* rows there: for each key head its query heads, k, v;  here: all q, k, v */
    /* all q, k, v there, or by key heads, too: queries and keys are permuted */
    PERMUTED_QKV, PERMUTED_BY_HEADS,
    REGROUPED, REGROUPED_COLUMNS, /* query heads there: one of each key head, then another */
    /* gate and up fused: one behind the other, or in turn (EVEN, ODD; of a vector numbers);
     * COLUMNS: of (experts, in, 2 out) */
    FIRST_HALF, SECOND_HALF, FIRST_COLUMNS, SECOND_COLUMNS,
    EVEN, ODD, EVEN_COLUMNS, ODD_COLUMNS,
    FIRST_THIRD, SECOND_THIRD, LAST_THIRD, /* q, k and v fused */
    LATENT_K, LATENT_V,    /* rows there: keys, values of each head;  here keys transposed */
    DELTA_QKV, DELTA_GATE, /* rows there: q, k, v, gate of each key head */
    MINUS_EXP, /* a = -exp(log a) */
    RATES,     /* the same, and (n) becomes (n, 1) */
    COLUMN,    /* (n) there, (n, 1) here */
    FLAT,      /* (1, n) there, (n) here */
    LAST_TWO,  /* (1, n, m) there, (n, m) here */
    SQUASHED,  /* any shape there, a vector here */
    SQUEEZED,  /* (n, 1, k) there, (n, k) here */
    GROUPED,   /* (n) there, (groups, n / groups) here */
    TILED,     /* value heads by key head there; here each key head's first, then second ... */
    TILED_QKV, /* the same, behind the rows of queries and keys */
    TILED_TAPS,    /* the same, of (n, 1, taps) */
    TILED_RATES,   /* -exp(log a), in the order of TILED */
    KDA_RATES,     /* -exp(log a); (1, 1, n, 1) there, (n, 1) here */
    TILED_COLUMNS, /* columns in that order */
    OFFSETS,     /* row i: a token's id less i */
    EACH,        /* (experts n, m) there, (experts, n, m) here */
    EACH_TURNED, /* (experts n, m) there, (experts, m, n) here */
    IN_ZONES,  /* rows of Mamba 2's five parts, each times a number of ssm_multipliers */
    TERNARY,   /* -s, 0 or s: s is the mean size */
    UNIT_ROWS, /* rows of length 1 */
    STACKED,   /* one part of several, which a set of words names in order */
    PADDED,    /* rows for all tokens: those that are missing are 0 */
    LISTED,    /* not a tensor: a number of each layer, for a key */
    AFTER_PAD, /* positions there start after the padding token's id */
    BREAK_ROW, /* the row of one token */
    PIXELS,    /* (n, p p 3) there, colours of a pixel together; (n, 3, p, p) here */
    DROPPED,   /* redundant: later rules do not count */
    BLOCK,     /* not a tensor: how names that begin with '.' begin in this list */
    DEEP_BLOCK, /* the same, and the number counts deepstack_visual_indexes */
} Change;
/* clang-format on */

/* ".mlp.experts.%.up_proj": # is a layer, % an expert; suffixes (.weight, .bias) stay, unless
 * ours has one.  With % the tensors of all experts are stacked into one. */
typedef struct NameRule {
    const char *theirs; /* NULL ends a list */
    const char *ours;   /* ".ffn_up_exps" */
    Change change;
} NameRule;

enum { MAX_RULE_LISTS = 8, MAX_VISION_BLOCKS = 256 };

struct ConvertFamily {
    const char *classes; /* "BertModel|BertForMaskedLM" */
    const char *arch;    /* "bert" */
    const char *prefix;  /* optional prefixes of names, separated by '|' */
    const NameRule *rules[MAX_RULE_LISTS];
    const char *projector; /* of a vision tower: clip.projector_type */
    bool add_one;          /* norm gains there are 1 less */
    /* keys of config.json that are required because their defaults differ, separated by spaces;
     * '|': or; '?': null is allowed */
    const char *needs;
    /* keys of ours that follow from theirs: "feed_forward_length=n_inner|4*n_embd" */
    const char *adds;
    const char
        *times; /* maps that are multiplied: "attn_k=key_multiplier*attention_in_multiplier" */
    /* of a class that is several families: what config.json says in this one, "key" or
     * "key=word"; NULL: nothing of the kind */
    const char *when;
    /* of folders with other parts, such as a vision encoder; NULL: the folder has only the
     * language model */
    const char *part;     /* the keys of config.json with its sizes, separated by '|' */
    bool alone;           /* keys of the whole are the language model's, not the part's, too */
    const char *defaults; /* keys that files omit, as JSON */
    const char *others;   /* how names of the other parts begin, separated by '|' */
};

/* The row of a folder's class, and the class's name; NULL, with a fault: not supported.
 *
 *   vision   the row of its vision tower */
const ConvertFamily *family_of(const JsonValue *config, bool vision, Text *name, Fault *fault);

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

/* Add the tensors of the folders 2_Dense and 3_Dense, if there are any. */
bool folder_open_dense(Folder *folder, Fault *fault);

/* A file of the folder as JSON; NULL without a fault text: it does not exist (when
 * `optional`). */
Json *folder_json(const Folder *folder, const char *name, bool optional, Fault *fault);

/* An optional file with an object; *json: the caller frees it, NULL: none.  False: damaged. */
bool folder_object(const Folder *folder, const char *name, Json **json, Fault *fault);

/* A file of the folder in memory; false without a fault text: it does not exist. */
bool folder_map(const Folder *folder, const char *name, FileMap *map, Fault *fault);
bool folder_has(const Folder *folder, const char *name);

/* A tensor; NULL: none is called "<name><end>". */
const SafeTensor *folder_tensor(const Folder *folder, Text name, const char *end);

/* Is the file at `path` one of a folder's, and not a GGUF file? */
bool folder_owns(const char *folder, const char *path);

/* ------------------------------------------------------------------ one conversion */

/* Keys of several objects as one. */
typedef struct Joined {
    JsonValue object; /* count 0: not used */
    Text *keys;       /* owns */
    JsonValue *items; /* owns the array */
    Json *defaults;   /* owns */
} Joined;

/* One of our tensors. */
typedef struct Target {
    char name[96];
    Change change;
    bool add_one, stack;       /* stack: of one part for each expert */
    const SafeTensor **parts;  /* (n_parts) owns; one per expert */
    const SafeTensor **scales; /* (n_parts) owns; of blocks of 8- and 4-bit numbers, or NULL */
    size_t n_parts;
    int ndim;
    size_t shape[TENSOR_MAX_DIMS];
    Dtype dtype;
    float factor; /* all numbers are multiplied by it */
    float size;   /* TERNARY: the mean size of a number */
} Target;

typedef struct Conversion {
    const Convert *how;
    const ConvertFamily *family;
    Text class; /* its name in config.json */
    const Recipe *recipe;
    const char *prefix; /* of its keys: "llama", "clip.vision" */
    Folder folder;
    Folder target; /* of a draft head's model: config.json alone */
    Joined joined;
    GgufWriter *writer;
    size_t drafts; /* draft heads, the last of `layers` */
    /* for changes of rows; key_dim: of a latent head what does not rotate, of a delta net's */
    size_t layers, heads, kv_heads, head_dim, groups, key_dim, value_heads;
    size_t window_kv_heads; /* of layers with a window; 0: as in the others */
    size_t first_position;  /* theirs; ours are counted from 0 */
    size_t break_row;       /* of BREAK_ROW */
    Target *targets;        /* (n_targets) owns */
    size_t n_targets;
    bool strips;                   /* white space beside its special tokens is dropped: Phi 3 */
    bool lowers;                   /* text is lower-cased before it is split */
    const struct NormalForm *form; /* of Unicode, that text is written in first; NULL: none */
    float *divisors[3]; /* (n_divisors) owns; of rope, by divisor_names; NULL: none */
    size_t n_divisors;
    Fault *fault;
} Conversion;

/* The class's name, for %.*s. */
#define CLASS(c) (int)(c)->class.size, (c)->class.data

/* fault_set with printf arguments; returns false. */
#define REFUSE(c, ...) fault_set((c)->fault, __VA_ARGS__)

/* convert.c: a sentence of at most 300 bytes about something that GGUF cannot express. */
void convert_note(const Conversion *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* language.c: c->folder.sizes. */
bool join_sizes(Conversion *c);
void free_joined(Conversion *c);
/* Does a name begin with one of these words, separated by '|'?  *size: the word's. */
bool begins_with_one_of(Text name, const char *words, size_t *size);

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

/* The class's key that says whether the head is the embedding. */
const char *tie_key(const Conversion *c);

/* rope_divisors.c: divisors that config.json has become tensors. */
extern const char *const divisor_names[3];

/* shapes.c: its shape; false: theirs does not divide as config.json says. */
bool shape_target(const Conversion *c, Target *t);

/* rows.c: a row of a target, numbered over all its parts. */
size_t target_rows(const Target *target);
void target_row(const Conversion *c, const Target *target, size_t row, float *out);

/* config.c, sizes.c, formulas.c, rope_scaling.c: keys into c->writer. */
bool put_config(Conversion *c);
bool put_sizes(Conversion *c);
void put_formulas(Conversion *c);

/* layers.c: keys that list something for each layer, once the targets are known. */
bool put_layers(Conversion *c);

/* lists.c: one number, where all layers agree, or a list. */
void put_each(Conversion *c, const char *name, const int64_t *values);
/* Has this layer a window?  By layer_types or hybrid_layer_pattern; -1: neither says. */
int says_window(const Conversion *c, size_t layer);
/* Which layers have a window, as config.json lists them, and what differs in those. */
bool put_window_list(Conversion *c);
/* overrides.c: heads of Gemma 4's layers without a window, in c, where those with one have
 * c's. */
bool read_full_heads(Conversion *c);
bool put_number_lists(Conversion *c);

/* formulas.c: "4*n_embd", to the next '|' or space; false: one of its keys is missing. */
bool formula_value(const Conversion *c, const char *at, double *value);
/* By how much the class's row multiplies one of our tensors. */
float factor_of(const Conversion *c, const char *name);

bool put_rope_scaling(Conversion *c, const JsonValue *scaling);
double number_or(const JsonValue *object, const char *key, double otherwise);
/* Has an object no keys but these?  known: NULL ends them. */
bool only_keys(Conversion *c, const JsonValue *scaling, const char *const *known);

/* rope_divisors.c: llama3's, a part of each head, longrope's. */
bool plan_divisors(Conversion *c, const JsonValue *scaling, double theta);
bool plan_part(Conversion *c, const JsonValue *scaling);
bool put_long(Conversion *c, const JsonValue *scaling);

/* vectors.c: keys for vectors and scores, once the targets are known. */
bool put_vectors(Conversion *c);

/* ------------------------------------------------------------------ keys of config.json */

typedef enum KeyUse {
    SIZE,   /* an integer: our key */
    NUMBER, /* a number: our key */
    FLAG,   /* true or false: our key */
    ACT,    /* the name of the family's activation */
    ONLY,   /* one of these values, separated by spaces */
    READ,   /* handled elsewhere in this folder of sources */
    NOTHING /* changes nothing */
} KeyUse;

typedef struct ConfigKey {
    const char *names; /* separated by spaces */
    KeyUse use;
    const char *ours;  /* "attention.head_count", or the values */
    const char *archs; /* only of these families, separated by spaces; NULL: all */
} ConfigKey;

/* No activation on a score. */
#define IDENTITY "torch.nn.modules.linear.Identity"

/* config_keys.c: the row of a key in models of this family; NULL: unknown. */
const ConfigKey *config_key(const Conversion *c, Text name);

/* The integer of config.json that becomes our key, of a list its first; `otherwise`: it has
 * none. */
size_t config_size(const Conversion *c, const char *ours, size_t otherwise);
bool listed(const char *words, Text word); /* is it one of these words?  "" is not */

/* config.c: a value as in the table; "FILE: 'KEY' is VALUE, wanted ..."; all keys of a file
 * that have no row, but for those of --without; and are those there, and unknown?  `more`: of
 * another file than config.json, or NULL. */
typedef const ConfigKey *(*KeyRow)(const Conversion *c, Text name);
Text config_plain(const JsonValue *value);
bool key_refuse(const Conversion *c, const char *file, Text name, const JsonValue *value,
                const char *wanted);
bool refuse_unknown_keys(const Conversion *c, const char *file, const JsonValue *object,
                         KeyRow row);
bool check_without(const Conversion *c, const char *file, const JsonValue *more, KeyRow row);

/* beside.c: a draft head's other folder, its keys and tokens; towers.c: keys of a tower;
 * pictures.c: those about pictures. */
bool open_target(Conversion *c);
bool put_draft_head(Conversion *c);
bool put_assistant(Conversion *c);
bool put_target_words(Conversion *c);
bool put_vision(Conversion *c);
bool check_tower_width(const Conversion *c); /* once the targets are known */
bool put_preparation(Conversion *c, const VisionKind *kind);
/* picture_keys.c: what those files say, and what a file of ours cannot: is it as here? */
bool check_picture_keys(Conversion *c, const char *file, const JsonValue *root,
                        const VisionKind *kind);
/* deep.c: blocks whose rows go into the language model, too: their keys; and the number of a
 * projector, in a tensor's name, as that of its block. */
bool put_deep(Conversion *c, const VisionKind *kind);
bool put_deep_layers(Conversion *c);
bool deep_block(const Conversion *c, Text name, size_t *number);
/* The name of one of a draft head's tensors among those of layers; `room`: for it. */
Text draft_name(const Conversion *c, Text name, char room[256]);

/* agree.c: do config.json and the targets agree?  rows: of the embedding. */
bool check_agreement(const Conversion *c, size_t rows);
/* Is a bias in all layers or in none? */
bool check_layer_biases(const Conversion *c);
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

/* Are keys that sizes.c and formulas.c read numbers above 0, or null? */
bool check_read_numbers(const Conversion *c);

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

/* forms.c: Unicode's normal forms.
 *
 *   read_form     is this step of a normalizer a form?  Then it is the conversion's
 *   is_alike      a K form: what only looks different is taken apart, so spaces may appear
 *   after_forms   the last step of a Sequence of forms and one more step, whose forms are
 *                 read; any other normalizer itself
 *   put_form      the file's key */
bool read_form(Conversion *c, const JsonValue *step);
bool is_alike(const JsonValue *step);
const JsonValue *after_forms(Conversion *c, const JsonValue *normalizer);
void put_form(const Conversion *c);

/* words.c and pieces.c: the tokens of one kind of file, and the keys that only it has. */
bool read_tokenizer_json(Conversion *c, Vocab *vocab, const JsonValue *root);
bool read_tokenizer_model(Conversion *c, Vocab *vocab, const FileMap *file);
bool read_added(Conversion *c, Vocab *vocab, const JsonValue *added);
bool read_unigram(Conversion *c, Vocab *vocab, const JsonValue *root);
bool read_wordpiece(Conversion *c, Vocab *vocab, const JsonValue *root);
bool read_word_list(Conversion *c, Vocab *vocab, const FileMap *file); /* vocab.txt */

/* tiktoken.c, world_words.c: files of a single kind of model.
 *
 *   found   written: the folder has such a file */
bool read_tiktoken(Conversion *c, Vocab *vocab, bool *found);
bool read_world_words(Conversion *c, Vocab *vocab, bool *found);
bool read_added_by_id(Conversion *c, Vocab *vocab); /* of tokenizer_config.json */

/* unigram.c: the bytes written, or SIZE_MAX: not base64. */
size_t from_base64(Text text, unsigned char *out);

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
