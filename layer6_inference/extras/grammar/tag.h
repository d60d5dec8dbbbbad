/* tag.h - what the files share that read tags: one tag (tag.c), and the text they stand in
 * (tags.c).
 *
 * Invariant: an expression of a tag spells special tokens by their number, all else by its
 * bytes. */
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
    char **kept; /* texts in which tokens stand by their numbers; owns, and each of them */
    size_t n_kept;
    Fault *fault;
} Tags;

/* A begin, end or trigger as the model writes it: where the name of a special token stands,
 * <|python_tag|>, that token by its number, for it has no text. */
bool tag_spell(Tags *tags, Text text, Text *spelled);

/* Any characters up to `end`, in which none of `of` comes before that. */
Expr tag_text_up_to(ExprStore *store, Text end, const Text *of, size_t count);

Expr tag_one_of(ExprStore *store, const Text *of, size_t count);

/* All texts with one of `of` in them, followed by at least `more` bytes. */
Expr tag_text_with(ExprStore *store, const Text *of, size_t count, uint32_t more);
Expr tag_any_text(ExprStore *store);

bool tag_is_text(const JsonValue *value);

/* Fails, naming the key, when an object has another one than these. */
bool tag_known_keys(Tags *tags, const JsonValue *object, const char *const *known, size_t count,
                    const char *place);

/* Is it an object with begin, end and one kind of content? */
bool tag_check(Tags *tags, const JsonValue *tag, const char *place);

/* A tag without the first `skip` bytes of its beginning. */
bool tag_read(Tags *tags, const JsonValue *tag, const char *place, size_t skip, int depth,
              Expr *body);

/* Several: one after the other, or any one of them. */
bool tag_read_list(Tags *tags, const JsonValue *list, const char *place, int depth, bool any,
                   Expr *body);

#endif
