/* pre.c - see pre.h. */
#include "pre.h"

const PreRule *pre_rule_by_name(Text name) {
    for (const PreRule *rule = pre_rules; rule->names; rule++)
        for (const char *const *known = rule->names; *known; known++)
            if (text_equal(name, text_of(*known))) return rule;
    return NULL;
}
