/* guard: sanitizers notice an index beyond a piece of an arena or a region, and the use of a
 * free page (tests/guard.c) */
#include "check.h"
#include "page_pool.h"
#include "region.h"

#ifdef __has_feature
#define SANITIZED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { COUNT = 32, PAGES = 3, PAGE = 256 };
enum { BEYOND = 3, FREED = 8, WAYS }; /* of the ways to write a byte */

typedef struct Parts {
    Arena arena;
    Region region;
    PagePool pool;
    int32_t page;
    float *row, *other;
    char *text;
} Parts;

static void open_parts(Parts *p) {
    *p = (Parts){0};
    for (int pass = 0; pass < 2; pass++) {
        p->row = arena_take(&p->arena, COUNT, sizeof *p->row);
        p->other = arena_take(&p->arena, COUNT, sizeof *p->other);
        page_pool_init(&p->pool, PAGES, PAGE, &p->arena);
        if (pass == 0) assert_true(arena_init(&p->arena, p->arena.used, NULL));
    }
    p->page = page_take(&p->pool);
    p->text = region_alloc(&p->region, COUNT - 1);
    region_alloc(&p->region, COUNT);
}

/* Writes one byte: at the end of what was given, beyond it, or into what was given back. */
static int way;
static void write_at(Parts *p) {
    char *row = (char *)p->row, *page = page_bytes(&p->pool, p->page);
    char *at[WAYS] = {row + COUNT * sizeof *p->row - 1,
                      p->text + COUNT - 2,
                      page + PAGE - 1,
                      row + COUNT * sizeof *p->row,
                      (char *)p->other - 1,
                      (char *)(p->pool.refcount + PAGES),
                      p->text + COUNT - 1,
                      page + PAGE,
                      page};
    if (way == FREED) page_release(&p->pool, p->page);
    *(volatile char *)at[way] = 1;
}

static void write_and_close(void) {
    Parts p;
    open_parts(&p), write_at(&p);
    arena_free(&p.arena), region_free(&p.region);
}

static char text[1 << 16];

static void every_byte_inside_may_be_written(void **state) {
    (void)state;
    for (way = 0; way < BEYOND; way++)
        assert_int_equal(run_apart(write_and_close, text, sizeof text), 0);
}

static void what_is_beyond_is_noticed(void **state) {
    (void)state;
#if !SANITIZED || !defined(__linux__)
    skip();
#endif
    for (way = BEYOND; way < WAYS; way++) {
        run_apart(write_and_close, text, sizeof text);
        assert_contains(text, "use-after-poison");
    }
}

RUN(TEST(every_byte_inside_may_be_written), TEST(what_is_beyond_is_noticed))
