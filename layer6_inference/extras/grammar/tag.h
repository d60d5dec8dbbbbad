/* tag.h - what tag.c (one tag) and tags.c (the text around tags) share.
 *
 * Invariant: expressions of tags spell special tokens as token ids, all else as bytes. */
#ifndef STRATA_TAG_H
#define STRATA_TAG_H

#include "tags.h"
#include "json.h"

enum { TRIGGERS = 64, TAG_DEPTH = 32, PLACE = 160 };

typedef struct Tags {
    ExprStore *store;
    TagSchemas *schemas;
    const GrammarOptions *options;
    Text triggers[TRIGGERS];
    size_t n_triggers;
    char **kept; /* texts with embedded token ids; owned, with their bytes */
    size_t n_kept;
    Fault *fault;
} Tags;

/* A begin, end or trigger as the model writes it: the name of a special token, such as
 * <|python_tag|>, is replaced by its id, since it has no text. */
bool tag_spell(Tags *tags, Text text, Text *spelled);

/* Any characters up to the first `end`, without any of `of` before it. */
Expr tag_text_up_to(ExprStore *store, Text end, const Text *of, size_t count);

Expr tag_one_of(ExprStore *store, const Text *of, size_t count);

/* All texts that contain one of `of`, followed by at least `more` bytes. */
Expr tag_text_with(ExprStore *store, const Text *of, size_t count, uint32_t more);
Expr tag_any_text(ExprStore *store);

bool tag_is_text(const JsonValue *value);

/* Fails, naming the key, if an object has any other key. */
bool tag_known_keys(Tags *tags, const JsonValue *object, const char *const *known, size_t count,
                    const char *place);

/* Is it an object with begin, end and exactly one kind of content? */
bool tag_check(Tags *tags, const JsonValue *tag, const char *place);

/* A tag without the first `skip` bytes of its begin. */
bool tag_read(Tags *tags, const JsonValue *tag, const char *place, size_t skip, int depth,
              Expr *body);

/* Several tags: in sequence, or any one of them. */
bool tag_read_list(Tags *tags, const JsonValue *list, const char *place, int depth, bool any,
                   Expr *body);

#endif
