/* dialect.h - another API on the same core: its requests are written as OpenAI's, and the
 * answers of the core in its own words.
 *
 *     {"options": {"num_predict": 9}}   --translate-->  {"max_tokens": 9}
 *     an answer                         --whole------>  {"message": {...}, "done": true}
 *     its next piece                    --piece------>  {"message": {...}, "done": false}
 *
 * Invariant: every field is used, listed as harmless, or refused by name, here or in the
 * core. */
#ifndef STRATA_DIALECT_H
#define STRATA_DIALECT_H

#include "answers.h"

typedef struct Dialect {
    const char *stream_type; /* media type of a stream */
    /* IN_CHAT or IN_COMPLETION, where the request decides; NULL: its path does */
    int (*where)(const JsonValue *root, const Server *server);
    /* Answer a request that asks for no text, and return true; or NULL */
    bool (*instead)(const JsonValue *root, const Server *server, Reply *reply);
    /* Write the members of an OpenAI request; NULL: they are the same */
    bool (*translate)(const JsonValue *root, const Server *server, FILE *out, HttpError *error);
    void (*whole)(FILE *out, const TextJob *text);
    /* a stream: a piece of an answer; the end of all; nothing new; a failure */
    void (*piece)(FILE *out, TextJob *text, const Answer *answer, const Piece *piece);
    void (*end)(FILE *out, const TextJob *text);
    void (*ping)(FILE *out, const TextJob *text);
    void (*failure)(FILE *out, const HttpError *error);
    void (*error)(FILE *out, const HttpError *error); /* the body of a refusal */
    /* its fields that have another name in the core, for errors; up to one without a name;
     * NULL: none */
    const struct Alias *names;
} Dialect;

extern const Dialect dialect_openai, dialect_ollama_chat, dialect_anthropic;

/* What /v1/responses shares with OpenAI's other routes. */
void openai_ping(FILE *out, const TextJob *text);
void openai_error(FILE *out, const HttpError *error);

/* The dialect of a path: of its errors, whether there is such a path or not. */
const Dialect *dialect_of(const char *path);

/* A request for texts, in a dialect (texts.c).
 *
 *   where   IN_CHAT or IN_COMPLETION, of what it is translated to */
void texts_handle(const HttpRequest *request, int where, const Dialect *dialect, Reply *reply);

/* The request in OpenAI's words, as JSON; NULL: refused.  Free it.
 *
 *   where   changed where the dialect's requests decide */
char *texts_translate(const JsonValue *root, const Server *server, const Dialect *dialect,
                      int *where, size_t *size, HttpError *error);

/* Which of a dialect's names a request has, a bit each; an error about one of them says it. */
unsigned dialect_sent(const Dialect *dialect, const JsonValue *root);
void dialect_name_error(const Dialect *dialect, unsigned sent, HttpError *error);

/* An error in its words. */
void texts_refuse(const Dialect *dialect, const HttpError *error, Reply *reply);

/* ------------------------------------------------------------------ translating (dialect.c) */

/* A field and its name in OpenAI's words; "" as the name: no effect here. */
typedef struct Alias {
    const char *name, *openai;
} Alias;

/* Write the members of an object by a table, with a comma before each.
 *
 *   first   whether none was written yet; updated
 *
 * Fails, naming it, at a member that is not in the table. */
bool alias_write(const JsonValue *object, const Alias *table, size_t n, bool *first, FILE *out,
                 HttpError *error);

/* Write all members, those of the table under their names there; "": not at all.  The core
 * knows the others, or refuses them.  Each begins with a comma. */
void alias_pass(const JsonValue *object, const Alias *table, size_t n, FILE *out);

/* Begin a member: a comma if it is not the first, and its name. */
void member_begin(FILE *out, bool *first, const char *name);

/* The text of a member; "" if it is missing, or no text. */
Text member_text(const JsonValue *object, const char *name);

/* Refuse members that the core knows, but this dialect's answers do not show (ends in NULL). */
bool members_refuse(const JsonValue *object, const char *const *names, HttpError *error);

/* Blocks are objects with a "type". */
bool block_is(const JsonValue *block, const char *type);

/* Write a text, or the texts of the blocks of a type with a newline between two, as one string.
 * Fails when memory is short. */
bool blocks_write(const JsonValue *content, const char *type, const char *member, FILE *out);

/* Write a comma and a message's part that is a picture: base64, of a media type (the core looks
 * at the file itself).  Fails when memory is short. */
bool image_write(Text media, Text base64, FILE *out, HttpError *error);

#endif
