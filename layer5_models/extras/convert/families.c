/* families.c - the row of a class of models, in the table of class_rows.h.  A new class is a
 * row there (and one in recipe.c or more_families.c for a new family); name_rules.h has the
 * names of tensors, config_rows.h those of config.json's keys. */
#include "class_rows.h"
#include "json.h"

#include <string.h>

enum { FAMILIES = sizeof families / sizeof *families };

const ConvertFamily *family_at(size_t index) {
    return index < FAMILIES ? &families[index] : NULL;
}

/* The first of the names that '|' separates; *rest: behind it. */
static Text families_next_class(const char **rest) {
    Text name = {*rest, strcspn(*rest, "|")};
    *rest += name.size + ((*rest)[name.size] != 0);
    return name;
}

static bool families_has_class(const ConvertFamily *family, Text name) {
    for (const char *at = family->classes; *at;)
        if (text_equal(families_next_class(&at), name)) return true;
    return false;
}

/* Does a row before this one have the same class of the same family? */
static bool families_had_class(size_t row, Text name) {
    for (size_t f = 0; f < row; f++)
        if (strcmp(families[f].arch, families[row].arch) == 0 &&
            families_has_class(&families[f], name))
            return true;
    return false;
}

bool convert_class(size_t index, Text *name, const char **arch) {
    for (size_t f = 0; f < FAMILIES; f++)
        for (const char *at = families[f].classes; *at;) {
            *name = families_next_class(&at), *arch = families[f].arch;
            if (!families_had_class(f, *name) && index-- == 0) return true;
        }
    return false;
}

static bool is_tower(const ConvertFamily *family) { return strcmp(family->arch, "clip") == 0; }

/* What config.json has to say for this row: "key" (and not 0 or false), or "key=word". */
static bool families_fits(const ConvertFamily *family, const JsonValue *config, bool vision) {
    if (is_tower(family) != vision) return false;
    if (!family->when) return true;
    const size_t n = strcspn(family->when, "=");
    if (family->part) config = json_get(config, family->part);
    const JsonValue *said = json_find(config, (Text){family->when, n});
    if (family->when[n]) return said && text_equal(said->text, text_of(family->when + n + 1));
    return said && said->kind != JSON_NULL && said->kind != JSON_FALSE &&
           !text_equal(said->text, text_of("0"));
}

static const ConvertFamily *families_find(const JsonValue *config, bool vision, Text name,
                                          size_t *classes) {
    const ConvertFamily *found = NULL;
    for (size_t f = 0; f < FAMILIES; f++)
        for (const char *at = families[f].classes; *at;
             *classes += !families[f].when && is_tower(&families[f]) == vision)
            if (text_equal(families_next_class(&at), name) && !found &&
                families_fits(&families[f], config, vision))
                found = &families[f];
    return found;
}

const ConvertFamily *family_of(const JsonValue *config, bool vision, Text *name, Fault *fault) {
    const JsonValue *list = json_get(config, "architectures");
    bool one = list && list->kind == JSON_ARRAY && list->count == 1 &&
               list->items[0].kind == JSON_STRING;
    size_t classes = 0;
    if (!one)
        return fault_set(fault, "config.json: architectures is not a list of one name: which "
                                "class of models this is, is not known"),
               NULL;
    *name = list->items[0].text;
    const ConvertFamily *family = families_find(config, vision, *name, &classes);
    if (!family)
        fault_set(fault,
                  "config.json: %s of the class '%.*s' cannot be converted; strata convert "
                  "--list names the %zu that can",
                  vision ? "vision towers" : "models", (int)min_size(60, name->size),
                  name->data, classes);
    return family;
}
