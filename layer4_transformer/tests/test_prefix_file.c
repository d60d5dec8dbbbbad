/* prefixes in a file: what comes back, and what is refused */
#include "open_kv.h"
#include "file_map.h"
#include "file_write.h"
#include "prefix_file.h"
#include "scratch_folder.h"
#include "state.h"

#include <sys/stat.h>

#define ABOUT "a model"

/* A layer with all its keys, one with a window, one with a state. */
static const KvShape shapes[3] = {{.kv_heads = 1, .key_dim = 4, .value_dim = 4},
                                  {.kv_heads = 1, .key_dim = 4, .value_dim = 4, .window = 16},
                                  {.state = 3}};

static void open_cache(KvCache *kv, Arena *arena, size_t layers, size_t prefixes) {
    kv_open(kv, arena,
            (KvConfig){.shapes = shapes,
                       .layers = layers,
                       .sequences = 3,
                       .ctx = 512,
                       .batch = 64,
                       .prefixes = prefixes});
}

static float number_of(const int32_t *tokens, size_t p, size_t layer) {
    return (float)tokens[p] + (float)layer / 4 + (float)p / 1000;
}

/* Read n tokens as a model would, and keep them. */
static void read_text(KvCache *kv, size_t sequence, const int32_t *tokens, size_t n,
                      uint64_t salt) {
    for (size_t at = prefix_find(kv, sequence, tokens, n, salt); at < n;) {
        const size_t next = min_size(n, (at / KV_PAGE + 1) * KV_PAGE);
        kv_slide(kv, sequence);
        assert_true(kv_extend(kv, sequence, next));
        for (; at < next; at++)
            for (size_t l = 0; l < kv->config.layers; l++)
                if (kv->shape[l].kv_heads)
                    *(float *)kv_key(kv, (KvHead){l, sequence, 0}, at) =
                        number_of(tokens, at, l);
                else
                    kv_state(kv, l, sequence, at + 1)[0] = number_of(tokens, at, l);
    }
    prefix_keep(kv, sequence, tokens, n, salt);
    kv_truncate(kv, sequence, 0);
}

static void make_tokens(int32_t *tokens, size_t n, int seed) {
    for (size_t i = 0; i < n; i++)
        tokens[i] = (int32_t)(i * 7 + (i >= 128 ? (size_t)seed : 0)) % 97;
}

/* Two texts that part after two pages, one of another salt, one with a picture. */
static void fill_cache(KvCache *kv) {
    int32_t tokens[300];
    make_tokens(tokens, 300, 1), read_text(kv, 0, tokens, 260, 5);
    make_tokens(tokens, 300, 2), read_text(kv, 1, tokens, 200, 5);
    make_tokens(tokens, 300, 3), read_text(kv, 2, tokens, 130, 9);
    tokens[70] = 1000, read_text(kv, 0, tokens, 140, 5);
}

/* What a text of n tokens finds; its numbers must be those that were stored. */
static size_t found(KvCache *kv, int seed, size_t n, uint64_t salt) {
    int32_t tokens[300];
    make_tokens(tokens, 300, seed);
    const size_t length = prefix_find(kv, 0, tokens, n, salt);
    for (size_t l = 0; l < kv->config.layers; l++) {
        if (!kv->shape[l].kv_heads) {
            if (length)
                assert_true(kv_state(kv, l, 0, length)[0] == number_of(tokens, length - 1, l));
            continue;
        }
        for (size_t p = shapes[l].window && length > 16 ? length - 16 : 0; p < length; p++)
            assert_true(*(float *)kv_key(kv, (KvHead){l, 0, 0}, p) == number_of(tokens, p, l));
    }
    kv_truncate(kv, 0, 0);
    return length;
}

static void a_restored_prefix_has_the_same_bytes(void **state) {
    (void)state;
    const char *path = in_folder("whole");
    for (size_t layers = 1; layers <= 3; layers++) {
        KvCache kv, again;
        Arena arena, other;
        Fault fault;
        size_t written, read;
        struct stat about;
        open_cache(&kv, &arena, layers, 24), open_cache(&again, &other, layers, 24);
        fill_cache(&kv);
        assert_true(prefix_save(&kv, path, text_of(ABOUT), 1000, &written, &fault));
        assert_int_equal(written, kv.n_prefixes - 1); /* one with a picture */
        assert_true(stat(path, &about) == 0 && (about.st_mode & 077) == 0);
        assert_true(prefix_restore(&again, path, text_of(ABOUT), &read, &fault));
        assert_int_equal(read, written);
        assert_int_equal(again.n_prefixes, written);
        for (int seed = 1; seed <= 3; seed++)
            for (uint64_t salt = 5; salt <= 9; salt += 4)
                assert_int_equal(found(&again, seed, 300, salt), found(&kv, seed, 300, salt));
        assert_true(found(&again, 1, 300, 5) == 256 && found(&again, 1, 300, 7) == 0);
        while (prefix_evict(&again)) {} /* and they go as all others */
        assert_int_equal(again.pages.free_count, again.pages.count);
        assert_int_equal(again.states.free_count, again.states.count);
        arena_free(&arena), arena_free(&other);
    }
}

static void a_smaller_cache_takes_the_latest(void **state) {
    (void)state;
    const char *path = in_folder("small");
    KvCache kv, small;
    Arena arena, other;
    Fault fault;
    size_t written, read;
    open_cache(&kv, &arena, 2, 24), open_cache(&small, &other, 2, 3);
    fill_cache(&kv), found(&kv, 2, 300, 5); /* used last: three pages */
    assert_true(prefix_save(&kv, path, text_of(ABOUT), 2000, &written, &fault));
    assert_int_equal(written, kv.n_prefixes);
    assert_true(prefix_restore(&small, path, text_of(ABOUT), &read, &fault));
    assert_int_equal(read, 3);
    assert_int_equal(found(&small, 2, 300, 5), 192);
    arena_free(&arena), arena_free(&other);
}

static void refuse(KvCache *kv, const void *bytes, size_t size, const char *about,
                   const char *word) {
    const char *path = in_folder("wrong");
    Fault fault;
    size_t read;
    assert_true(file_write(path, bytes, size, &fault));
    assert_false(prefix_restore(kv, path, text_of(about), &read, &fault));
    if (!strstr(fault.text, word)) fail_msg("'%s' has no '%s'", fault.text, word);
    assert_int_equal(kv->n_prefixes, 0);
    assert_int_equal(kv->pages.free_count, kv->pages.count);
}

static void damaged_or_foreign_files_change_nothing(void **state) {
    (void)state;
    const char *path = in_folder("good");
    KvCache kv, again, wide;
    Arena arena, other, third;
    FileMap file;
    Fault fault;
    size_t count;
    open_cache(&kv, &arena, 1, 8), open_cache(&again, &other, 1, 8),
        open_cache(&wide, &third, 2, 8);
    fill_cache(&kv);
    assert_true(prefix_save(&kv, path, text_of(ABOUT), 1000, &count, &fault));
    assert_true(file_open(&file, path, &fault));
    unsigned char *copy = malloc(file.size + 1);
    memcpy(copy, file.data, file.size), copy[file.size] = 0;
    refuse(&again, copy, file.size, "another model", "another model");
    refuse(&again, copy, file.size + 1, ABOUT, "cut off");
    refuse(&wide, copy, file.size, ABOUT, "layers");
    for (size_t n = 1; n < file.size; n += n < 200 ? 1 : 61) refuse(&again, copy, n, ABOUT, "");
    for (size_t i = 0; i < file.size; i += i < 200 ? 1 : 37)
        for (int bit = 0; bit < 8; bit += 3) {
            copy[i] ^= (unsigned char)(1 << bit);
            refuse(&again, copy, file.size, ABOUT, "");
            copy[i] ^= (unsigned char)(1 << bit);
        }
    assert_false(prefix_restore(&again, in_folder("missing"), text_of(ABOUT), &count, &fault));
    assert_true(prefix_restore(&again, in_folder("good"), text_of(ABOUT), &count, &fault) &&
                count > 3);
    free(copy), file_close(&file);
    arena_free(&arena), arena_free(&other), arena_free(&third);
}

static void an_empty_cache_makes_an_empty_file(void **state) {
    (void)state;
    const char *path = in_folder("empty");
    KvCache kv;
    Arena arena;
    Fault fault;
    size_t count;
    open_cache(&kv, &arena, 3, 0);
    assert_true(prefix_save(&kv, path, text_of(ABOUT), 1000, &count, &fault) && count == 0);
    assert_true(prefix_restore(&kv, path, text_of(ABOUT), &count, &fault) && count == 0);
    assert_false(
        prefix_save(&kv, in_folder("no/folder"), text_of(ABOUT), 1000, &count, &fault));
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(a_restored_prefix_has_the_same_bytes),
                                       TEST(a_smaller_cache_takes_the_latest),
                                       TEST(damaged_or_foreign_files_change_nothing),
                                       TEST(an_empty_cache_makes_an_empty_file)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
