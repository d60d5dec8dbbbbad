/* machines_parts.h - the first machine's state, and how it gives orders; private. */
#ifndef STRATA_MACHINES_PARTS_H
#define STRATA_MACHINES_PARTS_H

#include "heads.h"
#include "machines.h"
#include "pulse.h"
#include "send_file.h"
#include "held_layers.h"

/* A lent model's tensors by their addresses. */
typedef struct Lent {
    const Model *model;   /* NULL: free */
    uint32_t *by_address; /* (n_tensors) owns */
    LayerPack *packs;     /* repacked layers of this machine; owns */
    SentBytes *sent; /* (machines) what each has of the file; NULL: all have the file; owns */
} Lent;

/* A session of a lent model, shared with other machines.  It begins what only heads or only
 * layers have. */
typedef struct SharedSession {
    const Model *model;         /* NULL: free */
    const unsigned char *begin; /* its memory, by which it is known */
    size_t size;
    uint32_t file, id;    /* the numbers of file and session in orders */
    bool opened;          /* the others have it, too */
    int32_t (*copies)[2]; /* (n_copies) pages copied since the last order: from, to; owns */
    size_t n_copies, copies_room;
} SharedSession;

/* A KV cache of which this machine has its own heads only. */
typedef struct SharedCache {
    SharedSession session;
    int32_t *sent;   /* (sequences, layers, table_size) as the others know the tables; owns */
    Attention *said; /* (layers) as the others know them; owns */
} SharedCache;

/* A session whose layers are on several machines.  Its own cache has tables only. */
typedef struct SharedLayers {
    SharedSession session;
    LayerClasses classes;
    int32_t *home;        /* (classes) the layer of the session's cache whose table stands for
                           * the class; owns */
    HeldLayers own;       /* this machine's */
    int32_t *sent;        /* (sequences, classes, table_size) as all know the tables; owns */
    GroupMessage *orders; /* (machines) of the parts on their way; owns */
} SharedLayers;

struct Machines {
    MachinesConfig config;
    double bounds[GROUP_MAX + 1];
    SharedFile files[SHARED_FILES];
    Lent lent[SHARED_FILES];
    SharedCache caches[SHARED_CACHES];
    SharedLayers layers[SHARED_CACHES];
    GroupMessage order, answer;
    float *own; /* the rows computed here (own_room) */
    size_t own_room;
    MachinesCount count;
    bool in_pass;         /* the last order belongs to one */
    pthread_mutex_t lock; /* of all above: an order and its answers are one */
    Pulse pulse;
};

/* Those that are open; NULL: none. */
extern Machines *machines_here;

/* Send m->order to a member, or another message. */
bool send_order(Machines *m, int to, Fault *fault);
bool send_message(Machines *m, int to, const GroupMessage *message, Fault *fault);

/* The answer of a member: `size` bytes behind its first number, or why not. */
bool take_answer(Machines *m, int from, size_t size, Fault *fault);

/* Send the order to all, and wait for their yes. */
bool ask_all(Machines *m, Fault *fault);

/* An order without an answer; a member that is gone is told of later. */
void tell_all(Machines *m, OrderKind kind, uint32_t count);

/* A matrix in one piece that a lent file has. */
bool describe_matrix(const Machines *m, const Tensor *w, SharedProduct *product);

/* A machine was lost.  Does not return. */
void give_up(const Machines *m, const Fault *fault);

/* ------------------------------------------------------------------ send_file.c */

/* The header of a file that the others do not have. */
bool send_header(Machines *m, uint32_t file, const Model *model, Fault *fault);

/* Note from now on what they have of it; and no more. */
bool sent_open(Machines *m, Lent *lent, Fault *fault);
void sent_close(const Machines *m, Lent *lent);

/* What a member has not got yet: of some bytes of the file; of its rows of products; of a whole
 * matrix with rows of `in` numbers; of layers.  Nothing, if it has the file.  Use m->order. */
bool send_bytes(Machines *m, uint32_t file, int member, const void *data, size_t size,
                Fault *fault);
bool send_shares(Machines *m, const ShareJob *job, Fault *fault);
bool send_matrix(Machines *m, const SharedProduct *product, int member, size_t in,
                 Fault *fault);
bool send_layers_of(Machines *m, uint32_t file, int member, size_t first, size_t end,
                    Fault *fault);

/* ------------------------------------------------------------------ shared_sessions.c */

/* From now on sessions of lent models are shared; and no more. */
void sessions_open(void);
void sessions_close(Machines *m);

/* The session with this memory; NULL: none. */
SharedSession *session_with(Machines *m, const void *memory);

/* Called where a page is copied: the next order says it. */
void note_copy(PagePool *pool, int32_t from, int32_t to);

/* ------------------------------------------------------------------ share_heads.c */

/* The attention of lent models is shared from now on; and no more. */
void heads_open(void);
void heads_close(void);

/* This machine's heads in place of all.  False: the model's cannot be shared. */
bool heads_share(Machines *m, SharedCache *cache, KvShape *shapes, size_t layers);
void heads_drop(SharedCache *cache);

/* All machines with heads of its model lay out the cache. */
bool open_cache(Machines *m, SharedCache *c, KvCache *kv, Fault *fault);

/* ------------------------------------------------------------------ share_pages.c */

/* From now on files of prefixes hold the heads of all machines; and no more. */
void pages_open(void);
void pages_close(void);

/* ------------------------------------------------------------------ share_layers.c */

/* The hooks of sessions whose layers are elsewhere; and no more. */
void layers_open(void);
void layers_close(void);

/* Tables and snapshots only. */
void layers_share(Machines *m, SharedLayers *c, KvShape *shapes, size_t layers);
void layers_drop(Machines *m, SharedLayers *layers);

/* Can a model be cut between layers where the bounds say?  Fails with the reason. */
bool layers_of_model(const Model *model, const double *bounds, int size, Fault *fault);

#endif
