/* fake_decoder.h - what a fake decoder remembers: see fake_decoder.c. */
#ifndef STRATA_FAKE_DECODER_H
#define STRATA_FAKE_DECODER_H

#include "models.h"
#include "prefix.h"
#include "shift.h"
#include "state.h"

/* The layers of sessions that are opened from now on, beside one that sees everything. */
typedef struct FakeShape {
    bool windowed, recurrent; /* recurrent: and windowed */
} FakeShape;

extern FakeShape fake_shape;

#endif
