/* image_part.h - images in messages, as OpenAI's clients send them.
 *
 *     {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBOR...", "detail":
 *     "auto"}}
 *
 * The request contains the image; nothing is downloaded.  It is encoded once, in the size
 * that the vision encoder was trained on, so detail may be auto or low, and high is refused.
 *
 * Invariant: an accepted image is fully decoded, so what is wrong with one is known before
 * encoding. */
#ifndef STRATA_IMAGE_PART_H
#define STRATA_IMAGE_PART_H

#include "text_job.h"
#include "json.h"

/* Add a part's image to those of its text.
 *
 * Fails if it is not an image, or no slot is free. */
bool image_part_take(const JsonValue *part, Prompts *prompts, HttpError *error);

/* Let the worker encode a job's images that are not encoded yet.
 *
 * Fails when the client disconnects or the server stops. */
bool image_parts_read(const TextJob *text, const HttpRequest *request, HttpError *error);

#endif
