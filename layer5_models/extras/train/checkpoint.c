/* checkpoint.c - a run on disk: everything that determines the rest of it.
 *
 *     head | values | first moments | second moments | checksum of all before it
 *
 * Numbers are in the machine's byte order (a run continues where it began).
 *
 * Invariant: a file with any bit changed, missing or added is refused, and the trainer is
 * unchanged. */
#include "hash.h"
#include "train/trainer.h"
#include "train_runs.h"
#include "train/origin.h"

#include <string.h>

static const char magic[8] = "STRATA7";
enum { MAGIC_NAME = 6 }; /* bytes of it that older versions had, too */

enum { SETTINGS = 24 };

typedef struct CheckpointHead {
    char magic[8];
    uint64_t size, step, tokens_seen, next_document, origin_hash, settings[SETTINGS];
} CheckpointHead;

/* A setting that identifies a run, and its option of strata train. */
typedef struct Setting {
    const char *option;
    uint64_t value;
} Setting;

static uint64_t billionths(double x) { return (uint64_t)(x * 1e9); }

static void list_settings(const TrainConfig *c, Setting settings[SETTINGS]) {
    const char *isa = kernels_isa();
    const Setting all[SETTINGS] = {{"--size", c->warmup},
                                   {"--size", billionths(c->final_rate)},
                                   {"--size", billionths(c->weight_decay)},
                                   {"--size", billionths(c->clip)},
                                   {"--optimizer", billionths(c->momentum)},
                                   {"--size", billionths(c->beta1)},
                                   {"--size", billionths(c->beta2)},
                                   {"--mixer", c->family != NULL},
                                   {"--mixer", c->family ? c->shape.taps : 0},
                                   {"--masked", c->shape.bidirectional},
                                   {"--dim", c->shape.dim},
                                   {"--hidden", c->shape.hidden},
                                   {"--layers", c->layers},
                                   {"--heads", c->shape.heads},
                                   {NULL, c->shape.head_dim}, /* follows from the others */
                                   {"--kv-heads", c->shape.kv_heads},
                                   {"--vocab", c->vocab},
                                   {"--ctx", c->ctx},
                                   {"--seed", c->seed},
                                   {"--steps", c->steps},
                                   {"--batch", c->batch_tokens},
                                   {"--parts", c->parts},
                                   {"--isa", hash_bytes(HASH_START, isa, strlen(isa))},
                                   {"--rate", billionths(c->learning_rate)}};
    memcpy(settings, all, sizeof all);
}

enum { WORLD_DOCUMENTS = 16 }; /* worlds with another seed or grammar differ in these */

static uint64_t corpus_hash(uint64_t sum, const Corpus *corpus) {
    uint64_t n = corpus->world ? WORLD_DOCUMENTS : corpus->count;
    WorldText scratch = {0};
    double nats;
    for (uint64_t i = 0; i < n; i++) {
        Text text = corpus_document(corpus, i, &scratch, &nats);
        sum = hash_bytes(sum, &text.size, sizeof text.size);
        sum = hash_bytes(sum, text.data, text.size);
    }
    world_text_free(&scratch);
    return sum;
}

uint64_t train_origin(const Trainer *t) {
    static const char prefix[] = "tokenizer.";
    const Gguf *vocab = t->vocab;
    uint64_t sum = HASH_START;
    if (t->origin_hash) return t->origin_hash;
    for (size_t i = 0; i < vocab->n_pairs; i++) {
        const GgufPair *pair = &vocab->pairs[i];
        if (pair->key.size < sizeof prefix || memcmp(pair->key.data, prefix, sizeof prefix - 1))
            continue;
        sum = hash_bytes(sum, pair->key.data, pair->key.size);
        sum = hash_bytes(sum, pair->data, gguf_value_bytes(pair));
    }
    return corpus_hash(sum, t->corpus);
}

static void checkpoint_put(FILE *out, uint64_t *sum, const void *data, size_t size) {
    *sum = hash_bytes(*sum, data, size);
    fwrite(data, 1, size, out); /* file_end reports failures */
}

bool trainer_save(const Trainer *t, const char *path, Fault *fault) {
    FileOut out;
    CheckpointHead head = {.size = t->size,
                           .step = t->step,
                           .tokens_seen = t->tokens_seen,
                           .next_document = t->next_document,
                           .origin_hash = train_origin(t)};
    Setting settings[SETTINGS];
    size_t part = t->size * sizeof(float);
    uint64_t sum = HASH_START;
    memcpy(head.magic, magic, sizeof magic);
    list_settings(&t->config, settings);
    for (int i = 0; i < SETTINGS; i++) head.settings[i] = settings[i].value;
    if (!file_writable(path, fault) || !file_begin(&out, path, fault)) return false;
    checkpoint_put(out.stream, &sum, &head, sizeof head);
    checkpoint_put(out.stream, &sum, t->values, part);
    checkpoint_put(out.stream, &sum, t->moment1, part);
    checkpoint_put(out.stream, &sum, t->moment2, part);
    fwrite(&sum, sizeof sum, 1, out.stream);
    return file_end(&out, fault);
}

static bool check_bytes(const FileMap *map, const char *path, Fault *fault) {
    uint64_t sum;
    if (map->size >= sizeof magic && memcmp(map->data, magic, MAGIC_NAME) == 0 &&
        map->data[MAGIC_NAME] >= '1' && map->data[MAGIC_NAME] < magic[MAGIC_NAME])
        return fault_set(fault,
                         "%s is a checkpoint of an older version: remove it and begin the run "
                         "again, or finish it with the version that wrote it",
                         path);
    if (map->size < sizeof(CheckpointHead) + sizeof sum ||
        memcmp(map->data, magic, sizeof magic) != 0)
        return fault_set(fault, "%s is not a checkpoint, or only the beginning of one", path);
    size_t size = map->size - sizeof sum;
    memcpy(&sum, map->data + size, sizeof sum);
    return hash_bytes(HASH_START, map->data, size) == sum ||
           fault_set(fault,
                     "%s is damaged: its %zu bytes do not have the checksum they were written "
                     "with; take a copy of it, or remove it and begin again",
                     path, map->size);
}

/* "--dim, --layers": settings that differ, each option once; "": none.  More steps than were
 * planned are the same run going on, with the rates of the longer plan from here on. */
static void name_others(const Trainer *t, const CheckpointHead *head, char *names,
                        size_t room) {
    Setting settings[SETTINGS];
    const char *last = "";
    size_t used = 0;
    list_settings(&t->config, settings);
    names[0] = 0;
    for (const Setting *s = settings; s < settings + SETTINGS; s++) {
        const uint64_t was = head->settings[s - settings];
        if (s->option && strcmp(s->option, "--steps") == 0 && s->value > was) continue;
        const char *option = s->option ? s->option : used ? last : "--heads";
        if (s->value == was || strcmp(option, last) == 0) continue;
        used += (size_t)snprintf(names + used, room - used, "%s%s", used ? ", " : "",
                                 last = option);
    }
}

/* Is it this run's checkpoint?  The bytes were verified. */
static bool check_run(const Trainer *t, const CheckpointHead *head, size_t size,
                      const char *path, Fault *fault) {
    char names[12 * SETTINGS];
    name_others(t, head, names, sizeof names);
    if (names[0])
        return fault_set(
            fault, "%s was written with another %s: a resumed run must have the same options",
            path, names);
    if (head->size != t->size ||
        size != sizeof *head + 3 * t->size * sizeof(float) + sizeof(uint64_t))
        return fault_set(
            fault, "%s is not a checkpoint of this model: it has %llu numbers, wanted %zu",
            path, (unsigned long long)head->size, t->size);
    return head->origin_hash == train_origin(t) ||
           fault_set(
               fault,
               "%s was written with another corpus, vocabulary or --from: a resumed run must "
               "have the same texts in the same tokens, and begin with the same weights",
               path);
}

static void restore(Trainer *t, const CheckpointHead *head, const unsigned char *numbers) {
    size_t part = t->size * sizeof(float);
    memcpy(t->values, numbers, part);
    memcpy(t->moment1, numbers + part, part);
    memcpy(t->moment2, numbers + 2 * part, part);
    t->step = head->step, t->tokens_seen = head->tokens_seen,
    t->next_document = head->next_document;
}

bool trainer_load(Trainer *t, const char *path, Fault *fault) {
    FileMap map;
    CheckpointHead head;
    if (!file_open(&map, path, fault)) return false;
    bool ok = check_bytes(&map, path, fault);
    if (ok) memcpy(&head, map.data, sizeof head);
    ok = ok && check_run(t, &head, map.size, path, fault);
    if (ok) restore(t, &head, map.data + sizeof head);
    file_close(&map);
    return ok;
}
