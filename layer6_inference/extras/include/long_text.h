/* long_text.h - texts longer than their context: the oldest tokens are removed when it is full.
 * See shift.h for what is lost.
 *
 *     | kept | old | recent |     -->     | kept | recent |        |
 *
 * A reader with a full context drops half of the positions after the kept ones, in whole pages.
 * When this happens depends only on the text, and a text that is recomputed after a preemption
 * drops the same positions.
 *
 * Invariant: so its tokens do not depend on preemption [others_change_nothing]. */
#ifndef STRATA_LONG_TEXT_H
#define STRATA_LONG_TEXT_H

#include "generate.h"

/* Shift instead of ending at a full context.  The first `keep` tokens stay, rounded up to
 * whole pages. */
void with_long_text(GenerateOptions *options, size_t keep);
bool is_long_text(const GenerateOptions *options);

/* Can a text with these options shift?  True if it does not ask to.
 *
 * Fails when the session cannot (session_can_shift), the context is too short, or another
 * extra or a stage needs the dropped tokens. */
bool long_text_check(const Session *session, const GenerateOptions *options, Fault *fault);

#endif
