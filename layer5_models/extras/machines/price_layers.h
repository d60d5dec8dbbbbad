/* price_layers.h - what a pass costs with whole layers on several machines; private.  See
 * price.c. */
#ifndef STRATA_PRICE_LAYERS_H
#define STRATA_PRICE_LAYERS_H

#include "share_layers.h"

/* The weights of some products are read by the machine with their layer. */
void price_layer_products(const Model *model, const double *bounds, int size,
                          const WeightsProduct *products, size_t count, MachinesPrice *price);

/* Messages, bytes and caches, after a pass over the first tokens of a session. */
bool price_layers(const Session *session, const double *bounds, int size, size_t tokens,
                  bool half, MachinesPrice *price, Fault *fault);

#endif
