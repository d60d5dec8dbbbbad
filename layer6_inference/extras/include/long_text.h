/* long_text.h - texts that are longer than their context: old tokens are cut out of a full one.
 * shift.h says what is lost.
 *
 *     | kept | old | recent |     -->     | kept | recent |        |
 *
 * A reader whose memory is full, and that has more to read, loses half of the positions behind
 * the kept ones, in whole pages.  When that happens depends on the text alone, and a text that
 * reads itself again after a preemption does it at the same places.
 *
 * Invariant: so its tokens are the same whatever happens. */
#ifndef STRATA_LONG_TEXT_H
#define STRATA_LONG_TEXT_H

#include "generate.h"

/* A full context is no end.  The first `keep` tokens stay, and what fills their last page. */
void with_long_text(GenerateOptions *options, size_t keep);
bool is_long_text(const GenerateOptions *options);

/* Can a text with these options go on so?  True where it is not asked to.
 *
 * Fails when the session cannot be cut (session_can_shift), the context is too short for that,
 * or another extra or a stage needs what would be gone. */
bool long_text_check(const Session *session, const GenerateOptions *options, Fault *fault);

#endif
