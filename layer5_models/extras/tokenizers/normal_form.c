/* normal_form.c - see normal_form.h.
 *
 *     decompose   each character into its parts, and these into theirs
 *     sort        accents between two letters by class (below: 220, above: 230), stably
 *     compose     a letter with each accent that makes one character with it
 *
 * A code is stored with its class, and with its index among its neighbours while they are
 * sorted:  | class | index (32 bits) | code (21 bits) |. */
#include "normal_form.h"
#include "code_rows.h"
#include "unicode.h"

#include <stdlib.h>
#include <string.h>

typedef struct ClassRow {
    uint32_t first, last;
    int accent; /* the class */
} ClassRow;

typedef struct PartsRow {
    uint32_t first, last, at;
} PartsRow;

#include "normal_table.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

const char *const normal_form_unicode = NORMAL_UNICODE;

enum {
    CODE_BITS = 21,
    CLASS_SHIFT = 53,
    NO_CODE = 0x110000 /* plus a byte that is not text */
};

static uint32_t code_of(uint64_t entry) { return entry & ((1u << CODE_BITS) - 1); }
static int class_of(uint64_t entry) { return (int)(entry >> CLASS_SHIFT); }

static int normal_class(uint32_t code) {
    const ClassRow *row = CODE_ROW(class_rows, code);
    return row ? row->accent : 0;
}

/* A code's parts, given its row, which may be NULL. */
static const int32_t *parts_in(const PartsRow *row, uint32_t code) {
    if (!row) return NULL;
    const int32_t *part = parts + row->at;
    for (uint32_t skipped = row->first; skipped < code; part++) skipped += *part < 0;
    return part;
}

static const int32_t *parts_of(uint32_t code, bool alike) {
    if (code < 0xA0) return NULL;
    const int32_t *found = parts_in(CODE_ROW(same_rows, code), code);
    return found || !alike ? found : parts_in(CODE_ROW(alike_rows, code), code);
}

/* ------------------------------------------------------------------ Hangul, by arithmetic */

enum {
    LEAD = 0x1100,
    VOWEL = 0x1161,
    TRAIL = 0x11A7, /* none; the first is 0x11A8 */
    SYLLABLE = 0xAC00,
    LEADS = 19,
    VOWELS = 21,
    TRAILS = 28,
    SYLLABLES = LEADS * VOWELS * TRAILS
};

/* LV or LVT of two; 0: they make none. */
static uint32_t join_hangul(uint32_t a, uint32_t b) {
    if (a - LEAD < LEADS && b - VOWEL < VOWELS)
        return SYLLABLE + ((a - LEAD) * VOWELS + (b - VOWEL)) * TRAILS;
    bool open = a - SYLLABLE < SYLLABLES && (a - SYLLABLE) % TRAILS == 0;
    return open && b > TRAIL && b - TRAIL < TRAILS ? a + (b - TRAIL) : 0;
}

/* ------------------------------------------------------------------ decompose and sort */

typedef struct Codes {
    uint64_t *at;
    size_t count, room;
    size_t run; /* where the accents at the end begin */
    bool alike, enough;
} Codes;

static int by_entry(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort_run(Codes *codes) {
    size_t n = codes->count - codes->run;
    if (n > 1) qsort(codes->at + codes->run, n, sizeof *codes->at, by_entry);
}

static void put_code(Codes *codes, uint32_t code) {
    codes->enough = codes->enough && GROW(codes->at, codes->room, codes->count + 1);
    if (!codes->enough) return;
    int accent = normal_class(code);
    if (!accent) sort_run(codes);
    uint64_t index = (uint32_t)(codes->count - codes->run);
    codes->at[codes->count++] = (uint64_t)accent << CLASS_SHIFT | index << CODE_BITS | code;
    if (!accent) codes->run = codes->count;
}

/* Parts may have parts: at most four deep. */
static void put_parts(Codes *codes, uint32_t code) {
    uint32_t syllable = code - SYLLABLE;
    if (syllable < SYLLABLES) {
        put_code(codes, LEAD + syllable / (VOWELS * TRAILS));
        put_code(codes, VOWEL + syllable / TRAILS % VOWELS);
        if (syllable % TRAILS) put_code(codes, TRAIL + syllable % TRAILS);
        return;
    }
    const int32_t *part = parts_of(code, codes->alike);
    if (!part) {
        put_code(codes, code);
        return;
    }
    while (*part > 0) put_parts(codes, (uint32_t)*part++);
    put_parts(codes, (uint32_t) - *part);
}

static void decompose(Codes *codes, Text text) {
    for (size_t at = 0, taken; at < text.size && codes->enough; at += taken) {
        uint32_t code = utf8_decode(text.data + at, text.size - at, &taken);
        if (code == 0xFFFD && taken == 1) code = NO_CODE + (unsigned char)text.data[at];
        put_parts(codes, code);
    }
    if (codes->enough) sort_run(codes);
}

/* ------------------------------------------------------------------ compose */

/* What two codes make; 0: nothing. */
static uint32_t join_two(uint32_t a, uint32_t b) {
    if (b < 0x300) return 0;
    size_t low = 0, high = COUNT(composites);
    while (low < high) {
        size_t middle = (low + high) / 2;
        const int32_t *two = parts_of(composites[middle], false);
        uint32_t first = (uint32_t)two[0], second = (uint32_t)-two[1];
        if (first == a && second == b) return composites[middle];
        if (first < a || (first == a && second < b))
            low = middle + 1;
        else
            high = middle;
    }
    return join_hangul(a, b);
}

/* An accent joins the letter before it unless one of its own class, or a letter, stands
 * between. */
static void compose(Codes *codes) {
    size_t n = 0, letter = SIZE_MAX;
    int before = -1; /* the class of the last code after the letter; -1: none stands there */
    for (size_t i = 0; i < codes->count; i++) {
        uint64_t entry = codes->at[i];
        int accent = class_of(entry);
        uint32_t joined = 0;
        if (letter != SIZE_MAX && before < accent)
            joined = join_two(code_of(codes->at[letter]), code_of(entry));
        if (joined) {
            codes->at[letter] = joined;
            continue;
        }
        if (!accent) letter = n;
        before = accent ? accent : -1;
        codes->at[n++] = entry;
    }
    codes->count = n;
}

/* ------------------------------------------------------------------ texts */

enum { PIECE = 4096 };

/* Some of a text, up to an ASCII character: none of these joins the character before it. */
static size_t piece_size(Text text) {
    size_t n = min_size(PIECE, text.size);
    while (n < text.size && (unsigned char)text.data[n] >= 0x80) n++;
    return n;
}

/* Is a text its own form, as its bytes show?  No character below U+0080 has another one, and
 * below U+0300, whose first byte is CC, none in NFC. */
static bool is_normal(const NormalForm *form, Text text) {
    unsigned char first = form->joins && !form->alike ? 0xCC : 0x80;
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] >= first) return false;
    return true;
}

typedef struct Written {
    char *text; /* (room) */
    size_t size, room;
} Written;

static bool write_codes(const Codes *codes, Written *out) {
    if (!codes->enough || !GROW(out->text, out->room, out->size + 4 * codes->count))
        return false;
    for (size_t i = 0; i < codes->count; i++) {
        uint32_t code = code_of(codes->at[i]);
        if (code >= NO_CODE)
            out->text[out->size++] = (char)(code - NO_CODE);
        else
            out->size += utf8_encode(code, out->text + out->size);
    }
    return true;
}

static bool write_piece(const NormalForm *form, Text piece, Codes *codes, Written *out) {
    if (is_normal(form, piece)) {
        if (!GROW(out->text, out->room, out->size + piece.size)) return false;
        memcpy(out->text + out->size, piece.data, piece.size), out->size += piece.size;
        return true;
    }
    codes->count = codes->run = 0;
    decompose(codes, piece);
    if (form->joins && codes->enough) compose(codes);
    return write_codes(codes, out);
}

bool normal_form_write(const NormalForm *form, Text text, char **out, size_t *size,
                       Fault *fault) {
    Codes codes = {.alike = form->alike, .enough = true};
    Written written = {0};
    bool ok = GROW(written.text, written.room, text.size + 1);
    for (Text left = text; ok && left.size;) {
        size_t n = piece_size(left);
        ok = write_piece(form, (Text){left.data, n}, &codes, &written);
        left.data += n, left.size -= n;
    }
    free(codes.at);
    if (!ok) free(written.text);
    *out = written.text, *size = written.size;
    return ok || fault_set(fault, "no memory to normalize a text of %zu bytes", text.size);
}

static bool rewrite(const NormalForm *form, Encoder *encoder, Text *text, Fault *fault) {
    char *written;
    size_t size;
    if (is_normal(form, *text)) return true;
    if (!normal_form_write(form, *text, &written, &size, fault)) return false;
    char *out = encoder_room(encoder, size, fault);
    if (out) memcpy(out, written, size), *text = (Text){out, size};
    free(written);
    return out != NULL;
}

static const NormalForm forms[] = {{"nfd", false, false, rewrite},
                                   {"nfc", false, true, rewrite},
                                   {"nfkd", true, false, rewrite},
                                   {"nfkc", true, true, rewrite}};

const NormalForm *normal_form_of(bool alike, bool joins) { return &forms[2 * alike + joins]; }

const NormalForm *normal_form_find(Text name) {
    for (size_t i = 0; i < COUNT(forms); i++)
        if (text_equal(name, text_of(forms[i].name))) return &forms[i];
    return NULL;
}

bool normal_form_read(Tokenizer *tokenizer, const Gguf *gguf, Fault *fault) {
    Text name;
    if (!gguf_string(gguf_find(gguf, NORMAL_FORM_KEY), &name)) return true;
    const NormalForm *form = normal_form_find(name);
    if (!tokenizer->as_llama) tokenizer->form = form; /* llama.cpp knows no such key */
    return form || fault_set(fault,
                             "the key '" NORMAL_FORM_KEY "' is '%.*s', wanted nfc, nfd, "
                             "nfkc or nfkd",
                             (int)min_size(name.size, 40), name.data);
}
