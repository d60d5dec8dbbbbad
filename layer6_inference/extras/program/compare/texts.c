/* texts.c - the texts of the first openings side by side.  See page.h.
 *
 * Tokens outside a longest common subsequence with the first text are marked (common.c). */
#include "page.h"

#include <stdlib.h>

enum { OPENINGS = 12 };

static size_t total(const Sample *s) { return s->begun + s->tokens; }

static void texts_write_tokens(const Study *study, const Sample *s, const bool *common,
                               FILE *out) {
    bool marked = false;
    for (size_t i = 0; i < total(s); i++) {
        Text piece = tokenizer_piece(study->model.tokenizer, s->ids[i], i >= s->begun);
        if (!piece.size) continue;
        if (marked != !common[i]) fputs(marked ? "</mark>" : "<mark>", out);
        marked = !common[i];
        page_text(out, piece);
    }
    if (marked) fputs("</mark>", out);
}

static bool texts_write_text(const Study *study, size_t chain, size_t text, FILE *out,
                             Fault *fault) {
    const Sample *first = &study->samples[text];
    const Sample *s = &study->samples[chain * study->texts + text];
    bool *common = calloc(total(s) + 1, sizeof *common);
    bool ok = common ? samples_common(first, s, common, fault)
                     : fault_set(fault, "no memory to lay texts side by side");
    if (ok) {
        fputs("<article><h3>", out);
        page_text(out, text_of(study->job->chains[chain]));
        fputs("</h3>", out);
        texts_write_tokens(study, s, common, out);
        if (study->world && s->right) fputs("\n<small>valid</small>", out);
        if (study->world && !s->right) {
            fprintf(out, "\n<small class=\"bad\">not valid (%s): ", s->verdict.reason);
            page_text(out, text_of(s->verdict.detail));
            fputs("</small>", out);
        }
        fputs("</article>\n", out);
    }
    free(common);
    return ok;
}

bool texts_write(const Study *study, FILE *out, Fault *fault) {
    const size_t n = study->n_openings < OPENINGS ? study->n_openings : OPENINGS;
    const size_t each = study->texts / study->n_openings;
    bool ok = true;
    fprintf(out,
            "<h2>Texts</h2>\n<p class=\"faint\">Of the first %zu opening%s. Marked: tokens "
            "that the first chain's text does not have at that place.</p>\n",
            n, n > 1 ? "s" : "");
    for (size_t i = 0; ok && i < n; i++) {
        const Opening *o = &study->openings[i];
        fputs("<h3>", out);
        page_text(out, (Text){o->text.bytes, o->end});
        fputs("</h3>\n<div class=\"texts\">\n", out);
        for (size_t c = 0; ok && c < study->job->n_chains; c++)
            ok = texts_write_text(study, c, i * each, out, fault);
        fputs("</div>\n", out);
    }
    return ok;
}
