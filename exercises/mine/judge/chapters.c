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
