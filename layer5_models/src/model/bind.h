/* bind.h - looking up keys and tensors while a model is bound; private to src/model. */
#ifndef STRATA_BIND_H
#define STRATA_BIND_H

#include "model.h"

typedef struct Binder {
    Model *model;
    Fault *fault;
    bool ok; /* once false, nothing more is looked up */
} Binder;

/* "<arch>.<key>"; the value or the fallback; a fault when the key is needed and missing or of
 * the wrong type. */
bool key_size(Binder *binder, const char *key, bool needed, size_t fallback, size_t most,
              size_t *value);
double key_number(Binder *binder, const char *key, double fallback);
Text key_text(Binder *binder, const char *key, const char *fallback);

/* A matrix or a stack of them, of exactly this shape.  `from` names the keys the shape comes
 * from.  Optional tensors that are missing give data NULL. */
Tensor bind_tensor(Binder *binder, const char *name, bool needed, int ndim, const size_t *shape,
                   const char *from);

/* A vector as f32. */
const float *bind_vector(Binder *binder, const char *name, bool needed, size_t size,
                         const char *from);

#endif
