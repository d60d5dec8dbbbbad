/* fuzz_picture.c - damaged pictures: fuzz_picture FOLDER [CASES [FIRST]]
 *
 * A good file of the folder (tests/pictures.sh) has bytes changed, cut out, doubled or put in.  Either it is refused with a sentence, or
 * it is read, and made square and cut into patches.  Where libpng or libjpeg is not there, all of its files are
 * refused.
 *
 * Case N is the same on every machine: `fuzz_picture FOLDER 1 N` runs it alone. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

enum { BYTES = 1000, KINDS = 3, MOST = 20000 /* pixels; that many are resized */ };

const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1:max_allocation_size_mb=300:detect_leaks=1";
}

static const char *const names[KINDS] = {"six.ppm", "six.png", "grey.jpg"};
static unsigned char seeds[KINDS][BYTES], bytes[BYTES];
static size_t seed_size[KINDS], size, read_ones[KINDS];
static Rng rng;

static size_t below(size_t n) { return n ? rng_below(&rng, n) : 0; }

static void load(const char *folder, int kind) {
    char path[1000];
    FileMap map;
    Fault fault;
    snprintf(path, sizeof path, "%s/%s", folder, names[kind]);
    if (!file_open(&map, path, &fault) || map.size > BYTES / 2) {
        printf("%s: %s\n", path, fault.text);
        exit(1);
    }
    memcpy(seeds[kind], map.data, seed_size[kind] = map.size);
    file_close(&map);
}

/* Put n bytes of the file in front of another place of it. */
static void double_piece(void) {
    size_t n = 1 + below(20), from = below(size), to = below(size);
    if (from + n > size || size + n > BYTES) return;
    unsigned char piece[20];
    memcpy(piece, bytes + from, n);
    memmove(bytes + to + n, bytes + to, size - to);
    memcpy(bytes + to, piece, n);
    size += n;
}

static void mangle(int kind) {
    memcpy(bytes, seeds[kind], size = seed_size[kind]);
    for (size_t times = 1 + below(4); times > 0; times--) {
        size_t at = below(size), n = 1 + below(8);
        switch (below(5)) {
        case 0: bytes[at] = (unsigned char)below(256); break;
        case 1: bytes[at] ^= (unsigned char)(1 << below(8)); break;
        case 2: size = at + (at == 0); break;
        case 3: double_piece(); break;
        default:
            if (at + n < size) memmove(bytes + at, bytes + at + n, size - at - n), size -= n;
        }
    }
}

static void use(const Picture *p) {
    static const float mean[3] = {0.5f, 0.5f, 0.5f}, spread[3] = {0.3f, 0.3f, 0.3f};
    static float rows[16][3 * 7 * 7];
    Picture square;
    if (p->width * p->height > MOST || p->width > 400 || p->height > 400) return;
    REQUIRE(picture_square(&square, p, (PictureFit)below(3), (PictureFilter)below(3),
                           (unsigned char[]){1, 2, 3}, 28, NULL),
            "a picture of %zu by %zu", p->width, p->height);
    picture_patches(rows[0], &square, 7, mean, spread);
    picture_free(&square);
}

static void try_one(int kind) {
    Picture p;
    Fault fault = {""};
    unsigned char *exact = malloc(size + !size); /* no byte behind the file is readable */
    memcpy(exact, bytes, size);
    if (picture_read(&p, exact, size, &fault)) {
        read_ones[kind]++;
        use(&p), picture_free(&p);
    } else {
        REQUIRE(fault.text[0] && !p.rgb, "%zu bytes are refused without a word", size);
    }
    free(exact);
}

int main(int argc, char **argv) {
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 6000,
             first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    for (int kind = 0; kind < KINDS; kind++) load(argc > 1 ? argv[1] : ".", kind);
    for (uint64_t number = first; number < first + count; number++) {
        rng = (Rng){number, 0, 0};
        mangle((int)(number % KINDS));
        try_one((int)(number % KINDS));
    }
    printf("%llu damaged pictures:", (unsigned long long)count);
    for (int kind = 0; kind < KINDS; kind++)
        printf(" %zu of %s read%s", read_ones[kind], names[kind], kind < 2 ? "," : "\n");
    return 0;
}
