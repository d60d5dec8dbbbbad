/* fault, arena, dtype, file_map */
#include "check.h"
#include "tensor.h"
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
}

static void arena_rehearsal_fits_exactly(void **state) {
    (void)state;
    Arena arena;
    Fault fault;
    arena_measure(&arena);
    assert_null(arena_take(&arena, 3, 5));
    assert_null(arena_take(&arena, 100, 4));
    size_t needed = arena.used;
    assert_int_equal(needed, 64 + 448);
    assert_true(arena_init(&arena, needed, &fault));
    char *a = arena_take(&arena, 3, 5), *b = arena_take(&arena, 100, 4);
    assert_int_equal((uintptr_t)a % ARENA_ALIGN, 0);
    assert_int_equal(b - a, 64);
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
    assert_true(memory_available() > 0);
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
        assert_int_equal(dtype_by_name(info->name), id);
    }
    assert_int_equal(known, 34);
    assert_int_equal(dtype_by_name("q8_0"), DTYPE_Q8_0);
    assert_int_equal(dtype_by_name("nonsense"), -1);
    assert_int_equal(dtype_row_bytes(DTYPE_Q8_0, 64), 68);
    assert_int_equal(dtype_row_bytes(DTYPE_BF16, 3), 6);
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
    file_close(&map);
    unlink(path);
    assert_false(file_open(&map, path, &fault));
    assert_contains(fault.text, path);
    assert_false(file_open(&map, "/tmp", &fault));
    assert_contains(fault.text, "directory");
}

RUN(TEST(fault_keeps_the_text), TEST(arena_rehearsal_fits_exactly),
    TEST(arena_refuses_what_no_machine_has), TEST(arrays_grow_or_stay_as_they_are),
    TEST(dtype_table_is_consistent), TEST(files_are_mapped_and_replaced_whole))
