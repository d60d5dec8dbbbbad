/* chapters.c - the table of chapters, and stories for several of them.  See chapters.h. */
#include "chapters.h"

void (*const judge_chapters[])(void) = {chapter_bytes,     chapter_bigram,
                                        chapter_pairs,     chapter_neuron,
                                        chapter_next,      chapter_table,
                                        chapter_attention, chapter_block,
                                        chapter_gradient,  chapter_adamw,
                                        chapter_train,     chapter_generate,
                                        chapter_story,     NULL};

void judge_stories(FILE *out, uint64_t first, int documents) {
    Fault fault;
    World *world = world_open(&fault);
    WorldText text = {0};
    need(world, "%s", fault.text);
    for (int i = 0; i < documents; i++) {
        world_write(world, "tale", judge_seed() | 1, first + (uint64_t)i, &text);
        fprintf(out, "%s\n<|endoftext|>\n", text.bytes);
    }
    world_text_free(&text);
    world_close(world);
}

void judge_opening(uint64_t index, char *out, size_t size) {
    Fault fault;
    World *world = world_open(&fault);
    WorldText text = {0};
    need(world, "%s", fault.text);
    Text words = world_opening(world, "tale", 77, index, 9, &text);
    snprintf(out, size, "%.*s", (int)words.size, words.data);
    world_text_free(&text);
    world_close(world);
}

static const char plain_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ,.\n";

void judge_last_words(char *out, size_t size) {
    Fault fault;
    World *world = world_open(&fault);
    WorldText text = {0};
    need(world, "%s", fault.text);
    for (bool plain = false; !plain;) {
        world_write(world, "tale", 77, (uint64_t)judge_between(0, 1000000), &text);
        const char *at = text.bytes + strlen(text.bytes);
        for (int lines = 0; at > text.bytes && lines < 4; at--) lines += at[-1] == '\n';
        at += strspn(at, "\n");
        size_t n = strlen(at);
        plain = n > 1 && n < size && strspn(at, plain_bytes) == n;
        snprintf(out, size, "%.*s", (int)n - 1, at);
    }
    world_text_free(&text);
    world_close(world);
}
