/* corpus.c - documents, from the world or from a file.  See train.h. */
#include "train.h"

#include <math.h>
#include <stdlib.h>

void corpus_close(Corpus *corpus) {
    free(corpus->documents);
    file_close(&corpus->file);
    *corpus = (Corpus){0};
}

Text corpus_document(const Corpus *corpus, uint64_t index, WorldText *scratch, double *nats) {
    *nats = (double)NAN;
    if (!corpus->world) return corpus->documents[index % corpus->count];
    world_write(corpus->world, "document", corpus->seed, index, scratch);
    *nats = scratch->nats;
    return (Text){scratch->bytes, scratch->size};
}
