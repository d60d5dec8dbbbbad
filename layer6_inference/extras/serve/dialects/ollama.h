/* ollama.h - Ollama's API: requests (ollama_request.c), answers (ollama.c), what it says of
 * models (ollama_info.c).  See dialect.h. */
#ifndef STRATA_OLLAMA_H
#define STRATA_OLLAMA_H

#include "dialect.h"

extern const Alias ollama_chat_names[], ollama_generate_names[]; /* Dialect.names */

/* /api/chat; /api/generate; either without a text; /api/embed */
bool ollama_chat_translate(const JsonValue *root, const Server *server, FILE *out,
                           HttpError *error);
bool ollama_generate_translate(const JsonValue *root, const Server *server, FILE *out,
                               HttpError *error);
bool ollama_load_translate(const JsonValue *root, const Server *server, FILE *out,
                           HttpError *error);
bool ollama_embed_translate(const JsonValue *root, const Server *server, FILE *out,
                            HttpError *error);

/* Where a request to /api/generate belongs: IN_COMPLETION or IN_CHAT. */
int ollama_generate_where(const JsonValue *root, const Server *server);

#endif
