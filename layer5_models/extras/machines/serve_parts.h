/* serve_parts.h - what another machine holds, and how it reads orders; private. */
#ifndef STRATA_SERVE_PARTS_H
#define STRATA_SERVE_PARTS_H

#include "heads.h"
#include "machines.h"
#include "pulse.h"
#include "held_layers.h"

typedef struct Opened {
    GgufFile file;
    Gguf gguf;
    bool open, sent;  /* sent: the first machine's, of which some bytes are here */
    char *path;       /* owns; NULL: sent */
    Model model;      /* of which this machine has layers; recipe NULL: none */
    LayerPack *packs; /* repacked layers; owns */
} Opened;

/* A layer's attention, of this machine's heads. */
typedef struct HeldLayer {
    unsigned char *bytes; /* the order, at which `attention` points; owns; NULL: none */
    LayerOrder order;
    bool placed; /* its orders have places (rope_places) */
} HeldLayer;

/* A KV cache of this machine's heads.  Its tables follow the first machine's. */
typedef struct HeldCache {
    Arena arena; /* owns what follows */
    KvCache kv;
    HeldLayer *layers; /* (layers) NULL: no cache */
} HeldCache;

/* Memory for the largest attention so far. */
typedef struct HeldRun {
    Arena arena;
    size_t rows;
    AttentionSizes sizes;
    AttentionRun run;
} HeldRun;

typedef struct Server {
    Group *group;
    const char *version;
    Pool *pool;
    bool pack, half;
    double seconds; /* the longest wait for a word of the first machine */
    bool busy;      /* with an order: then the pulse says so */
    Pulse pulse;
    double bounds[GROUP_MAX + 1];
    Opened opened[SHARED_FILES];
    SharedFile files[SHARED_FILES];
    HeldCache caches[SHARED_CACHES];
    HeldLayers layers[SHARED_CACHES];
    HeldRun room;
    GroupMessage order, answer;
    unsigned char *scratch;
    size_t scratch_room;
    float *x, *y; /* what an order brings, and what is answered, as floats; own */
    size_t x_room, y_room;
    size_t (*groups)[3]; /* of a batch; owns */
    size_t groups_room;
} Server;

/* What an order's bytes hold, without a copy; NULL: they are fewer. */
const void *part_of(const Server *s, size_t at, size_t size);
bool cut_off(Fault *fault); /* always false */

/* Room for the answer's first number and more. */
bool answer_room(Server *s, size_t size, Fault *fault);

/* Rows of an order as floats (rows, width); NULL: no memory. */
const float *rows_of_order(Server *s, const void *bytes, size_t rows, size_t width);

/* Is the file of a product open, and has the tensor? */
bool is_open(const Server *s, const SharedProduct *product);

/* ------------------------------------------------------------------ serve_file.c */

bool open_file(Server *s, Fault *fault);
bool take_header(Server *s, Fault *fault);
bool take_bytes(Server *s, Fault *fault);
bool open_model_of(Opened *opened, Fault *fault);
void close_file(Server *s, uint32_t file);

/* ------------------------------------------------------------------ serve_heads.c */

bool take_cache(Server *s, Fault *fault);
bool take_layer(Server *s, Fault *fault);
bool take_heads(Server *s, Fault *fault);
bool take_shift(Server *s, Fault *fault);
bool give_page(Server *s, Fault *fault);
bool take_page(Server *s, Fault *fault);

void drop_held(Server *s, uint32_t cache);

/* ------------------------------------------------------------------ serve_layers.c */

bool take_layers(Server *s, Fault *fault);
bool take_pack(Server *s, const Order *order, Fault *fault);
bool take_pass(Server *s, const Order *order, Fault *fault);
bool take_turn(Server *s, const Order *order, Fault *fault);

void drop_layers(Server *s, uint32_t cache);
void drop_model(Opened *opened);

#endif
