/* template.h - chat templates: small programs in Jinja that write a conversation as one text.
 *
 *     {% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}
 *
 *     source ──lexer──▶ tokens ──parser──▶ tree ──evaluator, with the variables──▶ text
 *
 * The language is Jinja as chat templates use it: white space around blocks trimmed
 * (trim_blocks, lstrip_blocks), values printed as Python prints them, namespace, macros,
 * raise_exception, strftime_now, tojson, break and continue.  A template can access nothing but
 * its variables.
 *
 * Every byte of the output knows whether it came from the template or from a variable.  A
 * user's text stays marked through every filter, so that no user can write a special token.
 *
 * Invariant: a rendering ends, within limits of steps, depth, memory and output, whatever the
 * template [all_has_limits].
 *
 * Source   the Jinja documentation, https://jinja.palletsprojects.com/templates/. */
#ifndef STRATA_TEMPLATE_H
#define STRATA_TEMPLATE_H

#include "transformer.h"
#include "json.h"
#include <time.h>

typedef struct Template Template;

/* Parse a template.  NULL: invalid; the fault has the line and what is wrong there. */
Template *template_read(Text source, Fault *fault);
void template_free(Template *tree);

/* A text, and the origin of each byte. */
typedef struct Rendered {
    char *text;          /* (size) owns */
    unsigned char *user; /* (size) owns; 1: from the variables, 0: from the template */
    size_t size;
} Rendered;

/* Run it.
 *
 *   variables   an object; its strings are marked as the user's, except those whose name ends
 *               in _token (bos_token, eos_token), which the caller takes from the model
 *   now         for strftime_now
 *   out         written; free with rendered_free
 *
 * Fails with the line and Python's exception: "line 3: TemplateError: roles must alternate". */
bool template_render(const Template *tree, const JsonValue *variables, const struct tm *now,
                     Rendered *out, Fault *fault);
void rendered_free(Rendered *rendered);

#endif
