/* json.c
 *
 * Proves    the readers of escapes, numbers, words and white space read only the text; an escape
 *           becomes 1 to 4 bytes, no more than it is long
 * Bound     text of 0 to 12 bytes
 * Source    layer1_tensor/src/text.c
 * Follow    layer1_tensor/extras/import/json.c | *unit = 0; | r->at - r->begin
 * Follow    layer1_tensor/extras/import/json.c | const char *letter = kind ? | r->at - r->begin
 * Follow    layer1_tensor/extras/import/json.c | long rest = r->end - r->at; | r->at - r->begin
 * Follow    layer1_tensor/extras/import/json.c | while (r->at < r->end && *r->at >= '0' | r->at - r->begin
 * Options   -eva-precision 1 -eva-interprocedural-splits -eva-alloc-builtin fresh -eva-slevel 200
 * Mutant    layer1_tensor/extras/import/json.c | if (r->at == r->end || *r->at != c) | if (*r->at != c)
 * Mutant    layer1_tensor/extras/import/json.c | char c = r->at < r->end ? *r->at : 0; | char c = *r->at;
 * Alarm     json.c | memcpy: precondition 'valid_dest' | a number's copy has as many bytes as are copied: the same variable */
#include "layer1_tensor/extras/import/json.c"
#include "proof.h"

enum { BYTES = 12 };

static char text[BYTES];
static Reader r;

/* Exactly as much as is asked for, so that a byte too many is found. */
void *region_alloc(Region *region, size_t size) { return (void)region, malloc(size); }
void region_free(Region *region) { (void)region; }

static void take(int what) {
    char out[4];
    size_t size = 0;
    JsonValue number;
    switch (what) {
    case 0: json_skip_space(&r); break;
    case 1: json_take_number(&r, &number); break;
    case 2: json_take_word(&r, "false"); break;
    default:
        if (!json_take_escape(&r, out, &size)) return;
        PROVE(size >= 1 && size <= 4);
        PROVE(size <= (size_t)(r.at - r.begin));
    }
}

int main(void) {
    Json json = {0};
    size_t n = ANY_SIZE(0, BYTES), what = ANY_SIZE(0, 3), left = 1;
    //@ split n;
    //@ split what;
    ANY(text);
    const char *begin = text + BYTES - n;
    r = (Reader){&json, begin, begin, text + BYTES, 0, &left, NULL};
    take((int)what);
    PROVE(r.at >= begin && r.at <= text + BYTES);
    END();
}
