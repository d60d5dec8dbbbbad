/* schema_said.c - iterates over the keywords of a goal.  See schema.h. */
#include "schema.h"

bool schema_said_is(const Said *said, const char *name) {
    return text_equal(said->name, text_of(name));
}

/* A keyword of a condition, which holds or fails. */
static Said said_by(const Condition *c, size_t keyword, bool fails) {
    return (Said){c->schema, &c->schema->items[keyword], c->schema->keys[keyword], fails};
}

bool schema_next_said(const Goal *flat, size_t *condition, size_t *keyword, Said *said) {
    for (; *condition < flat->count; ++*condition, *keyword = 0) {
        const Condition *c = &flat->of[*condition];
        while (c->kind == DIRECT && *keyword < c->schema->count) {
            *said = said_by(c, (*keyword)++, false);
            if (!(schema_said_is(said, "const") && c->index & WITHOUT_CONST) &&
                !(schema_said_is(said, "enum") && c->index & WITHOUT_ENUM))
                return true;
        }
        if (c->kind == NOT_KEYWORD && *keyword == 0) {
            *said = said_by(c, c->index, true);
            *keyword = 1;
            return true;
        }
    }
    return false;
}
