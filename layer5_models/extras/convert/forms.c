/* forms.c - Unicode's normal forms among the steps of tokenizer.json's normalizer; see parts.h.
 *
 *     "normalizer": {"type": "NFKC"}
 *     "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, ...]}
 *
 * Of several forms one is left: whatever a K form took apart stays apart, and the last decides
 * whether parts are joined. */
#include "parts.h"
#include "json.h"
#include "tokenizers/normal_form.h"

bool is_alike(const JsonValue *step) {
    const JsonValue *type = json_get(step, "type");
    return json_is(type, "NFKC") || json_is(type, "NFKD");
}

bool read_form(Conversion *c, const JsonValue *step) {
    const JsonValue *type = json_get(step, "type");
    bool alike = is_alike(step), joins = json_is(type, "NFKC") || json_is(type, "NFC");
    if (!alike && !joins && !json_is(type, "NFD")) return false;
    c->form = normal_form_of(alike || (c->form && c->form->alike), joins);
    return true;
}

const JsonValue *after_forms(Conversion *c, const JsonValue *normalizer) {
    const JsonValue *list = json_get(normalizer, "normalizers");
    if (!json_is(json_get(normalizer, "type"), "Sequence") || !list ||
        list->kind != JSON_ARRAY || !list->count)
        return normalizer;
    for (size_t i = 0; i + 1 < list->count; i++)
        if (!read_form(c, &list->items[i])) return normalizer;
    return &list->items[list->count - 1];
}

void put_form(const Conversion *c) {
    if (!c->form) return;
    gguf_put_string(c->writer, NORMAL_FORM_KEY, text_of(c->form->name));
    convert_note(c,
                 "text is normalized to %s by a key of Strata's own, %s: programs that do not "
                 "know it tokenize text as it stands",
                 c->form->name, NORMAL_FORM_KEY);
}
