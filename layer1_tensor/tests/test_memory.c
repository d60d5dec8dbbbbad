/* fault, arena, dtype, file_map; regions and the limit of memory */
#include "check.h"
#include "memory_limit.h"
#include "region.h"
#include "tensor.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static void fault_keeps_the_text(void **state) {
    (void)state;
    Fault fault;
    assert_false(fault_set(&fault, "got %d, wanted %s", 3, "four"));
    assert_string_equal(fault.text, "got 3, wanted four");
    assert_false(fault_prefix(&fault, "file"));
    assert_string_equal(fault.text, "file: got 3, wanted four");
    assert_false(fault_set(NULL, "not wanted"));
    char big[2000];
    memset(big, 'x', sizeof big - 1), big[sizeof big - 1] = 0;
    fault_set(&fault, "got '%s'", "a\nb\tc");
    assert_string_equal(fault.text, "got 'a b c'"); /* always one line */
    fault_set(&fault, "%s", big);
    assert_int_equal(strlen(fault.text), sizeof fault.text - 1);
    assert_false(fault_prefix(&fault, big)); /* no room for what was said */
    assert_int_equal(strlen(fault.text), sizeof fault.text - 1);
    assert_false(fault_prefix(NULL, "not wanted") || fault_is_memory(&fault));
    fault_set(&fault, "no memory for %d keys", 3);
    assert_true(fault_is_memory(&fault));
}

static void arena_rehearsal_fits_exactly(void **state) {
    (void)state;
    Arena arena;
    Fault fault;
    arena_measure(&arena);
    arena_take(&arena, 0, 1);
    const size_t gap = arena.used; /* 0, but for sanitizers (tests/guard.c) */
    arena_measure(&arena);
    assert_null(arena_take(&arena, 3, 5));
    assert_null(arena_take(&arena, 100, 4));
    size_t needed = arena.used;
    assert_int_equal(needed, 64 + gap + 448 + gap);
    assert_true(arena_init(&arena, needed, &fault));
    char *a = arena_take(&arena, 3, 5), *b = arena_take(&arena, 100, 4);
    assert_int_equal((uintptr_t)a % ARENA_ALIGN, 0);
    assert_int_equal(b - a, 64 + gap);
    for (int i = 0; i < 400; i++) assert_int_equal(b[i], 0);
    arena_free(&arena);
    assert_null(arena.base);
}

static void arena_refuses_what_no_machine_has(void **state) {
    (void)state;
    Arena arena;
    Fault fault;
    assert_false(arena_init(&arena, (size_t)1 << 60, &fault));
    assert_contains(fault.text, "GB");
    assert_false(arena_init(&arena, SIZE_MAX, &fault));
    assert_contains(fault.text, "beyond any machine");
    assert_true(memory_available() > 0);
}

/* Blocks of a page of 2 MB and more come from mmap. */
static void large_blocks_are_zero_and_aligned(void **state) {
    (void)state;
    enum { LARGE = 2 << 20 };
    for (size_t bytes = LARGE - 1; bytes <= LARGE + 1; bytes++) {
        unsigned char *block = memory_alloc(bytes);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % ARENA_ALIGN, 0);
        for (size_t i = 0; i < bytes; i += 999) assert_int_equal(block[i], 0);
        block[0] = block[bytes - 1] = 1;
        memory_free(block, bytes);
    }
    memory_free(NULL, LARGE);
}

static void text_is_compared_and_cut(void **state) {
    (void)state;
    static const struct {
        const char *text, *trimmed;
        bool begins, ends; /* with "ab" */
    } cases[] = {{"ab", "ab", true, true},        {" ab\t", "ab", false, false},
                 {"ab cd", "ab cd", true, false}, {"cdab", "cdab", false, true},
                 {"b", "b", false, false},        {"xy", "xy", false, false},
                 {"", "", false, false},          {" \n ", "", false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = text_of(cases[i].text), ab = text_of("ab");
        assert_true(text_equal(text_trim(text), text_of(cases[i].trimmed)));
        assert_int_equal(text_begins(text, ab), cases[i].begins);
        assert_int_equal(text_ends(text, ab), cases[i].ends);
    }
    Text rest = text_of("a,,b");
    assert_true(text_equal(text_cut(&rest, ','), text_of("a")));
    assert_int_equal(text_cut(&rest, ',').size, 0);
    assert_true(text_equal(text_cut(&rest, ','), text_of("b")) && rest.size == 0);
    assert_int_equal(text_cut(&rest, ',').size, 0);
    static const struct {
        char c;
        int value;
    } digits[] = {{'0', 0},  {'9', 9},  {'a', 10}, {'z', 35}, {'A', 10}, {'Z', 35},
                  {'/', 99}, {':', 99}, {'@', 99}, {'[', 99}, {'`', 99}, {'{', 99}};
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
        assert_int_equal(digit_value(digits[i].c), digits[i].value);
}

static void arrays_grow_or_stay_as_they_are(void **state) {
    (void)state;
    uint32_t *items = NULL;
    size_t room = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(GROW(items, room, i + 1));
        items[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(items[i], i);
    uint32_t *before = items;
    size_t room_before = room;
    assert_false(GROW(items, room, SIZE_MAX / 4));
    assert_ptr_equal(items, before);
    assert_int_equal(room, room_before);
    free(items);
}

static void ask_for_half_a_block(void) { dtype_row_bytes(DTYPE_Q8_0, 33); }

static void dtype_table_is_consistent(void **state) {
    (void)state;
    int known = 0;
    for (uint32_t id = 0; id < DTYPE_COUNT + 5; id++) {
        const DtypeInfo *info = dtype_info(id);
        if (!info) {
            assert_string_equal(dtype_name(id), "?");
            continue;
        }
        known++;
        assert_true(info->block > 0 && info->bytes > 0);
    }
    assert_int_equal(known, 34);
    assert_int_equal(dtype_row_bytes(DTYPE_Q8_0, 64), 68);
    assert_int_equal(dtype_row_bytes(DTYPE_BF16, 3), 6);
    check_abort(ask_for_half_a_block, "33 does not divide into blocks of 32");
}

static void files_are_mapped_and_replaced_whole(void **state) {
    (void)state;
    char path[] = "/tmp/strata_test_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    FileMap map;
    Fault fault;
    assert_false(file_open(&map, path, &fault));
    assert_contains(fault.text, "empty");
    assert_true(file_write(path, "hello", 5, &fault));
    assert_true(file_open(&map, path, &fault));
    assert_int_equal(map.size, 5);
    assert_memory_equal(map.data, "hello", 5);
    file_close(&map), file_close(&map);
    unlink(path);
    assert_false(file_open(&map, path, &fault));
    assert_contains(fault.text, path);
    assert_false(file_open(&map, "/tmp", &fault));
    assert_contains(fault.text, "directory");
    assert_false(file_open(&map, "", &fault));
    assert_contains(fault.text, "a file without a name");
    assert_false(file_open(&map, "/dev/null", &fault));
    assert_contains(fault.text, "a device");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(file_open(&map, path, &fault));
    assert_contains(fault.text, "a pipe");
    unlink(path);
}

static void regions_stay_in_place_within_their_limit(void **state) {
    (void)state;
    enum { PIECES = 300 };
    Region region = {.limit = 100000};
    unsigned char *piece[PIECES];
    size_t count = 0;
    while (count < PIECES && (piece[count] = region_alloc(&region, 1 + count * 7 % 900))) {
        assert_int_equal((uintptr_t)piece[count] % 16, 0);
        assert_true(region.taken <= region.limit);
        for (size_t i = 0; i < 1 + count * 7 % 900; i++) assert_int_equal(piece[count][i], 0);
        memset(piece[count], (int)(count % 255 + 1), 1 + count * 7 % 900);
        count++;
    }
    assert_in_range(count, 100, PIECES - 1); /* the limit ends it */
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < 1 + k * 7 % 900; i++) assert_int_equal(piece[k][i], k % 255 + 1);
    region_free(&region);
}

static void *take_and_give(void *unused) {
    (void)unused;
    for (size_t i = 0; i < 20000; i++) {
        size_t bytes = 1 + i * 7 % 400;
        if (!memory_limit_take(bytes)) continue;
        assert_true(memory_limit_taken() <= 1000);
        memory_limit_give(bytes);
    }
    return NULL;
}

static void one_limit_counts_all(void **state) {
    (void)state;
    pthread_t threads[4];
    Region region = {0};
    memory_limit_set(1000);
    assert_true(memory_limit_take(400) && !memory_limit_is_short());
    assert_true(memory_limit_take(600) && memory_limit_is_short());
    assert_false(memory_limit_take(1));
    assert_false(memory_limit_take(SIZE_MAX));
    assert_null(region_alloc(&region, 10));
    assert_int_equal(memory_limit_taken(), 1000);
    memory_limit_give(1000);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, NULL), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    assert_int_equal(memory_limit_taken(), 0);
    memory_limit_set(1 << 20);
    assert_non_null(region_alloc(&region, 10000));
    assert_true(memory_limit_taken() >= 10000);
    region_free(&region);
    assert_int_equal(memory_limit_taken(), 0);
    memory_limit_set(0);
}

RUN(TEST(fault_keeps_the_text), TEST(arena_rehearsal_fits_exactly),
    TEST(arena_refuses_what_no_machine_has), TEST(large_blocks_are_zero_and_aligned),
    TEST(text_is_compared_and_cut), TEST(arrays_grow_or_stay_as_they_are),
    TEST(dtype_table_is_consistent), TEST(files_are_mapped_and_replaced_whole),
    TEST(regions_stay_in_place_within_their_limit), TEST(one_limit_counts_all))
