/* chapters.c - the table of chapters.  See engine.h. */
#include "engine.h"

void (*const judge_chapters[])(void) = {
    chapter_read,     chapter_words, chapter_logits,      chapter_greedy,
    chapter_cache,    chapter_q8,    chapter_product,     chapter_threads,
    chapter_samplers, chapter_batch, chapter_speculation, chapter_json,
    chapter_family,   NULL};
