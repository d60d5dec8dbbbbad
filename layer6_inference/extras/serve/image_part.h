/* image_part.h - pictures in messages, as OpenAI's clients send them.
 *
 *     {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBOR...", "detail": "auto"}}
 *
 * The picture itself is in the request: nothing is fetched from anywhere.  It is read whole, once, in the size that
 * the eye was trained on: so detail may be auto or low, and high is refused.
 *
 * Invariant: a picture that was taken was decoded whole; what is wrong with one is known before the eye looks. */
#ifndef STRATA_IMAGE_PART_H
#define STRATA_IMAGE_PART_H

#include "text_job.h"
#include "json.h"

/* Take the picture of a part, which joins those of its text.
 *
 * Fails when it is no picture, or there is no place for it. */
bool image_part_take(const JsonValue *part, Prompts *prompts, HttpError *error);

/* Have the worker read the pictures of a job that nobody has read yet.
 *
 * Fails when the client is gone, or the server stops. */
bool image_parts_read(const TextJob *text, const HttpRequest *request, HttpError *error);

#endif
