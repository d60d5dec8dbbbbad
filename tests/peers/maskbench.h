/* maskbench.h - what maskbench.cpp calls of Strata (maskbench_strata.c). */
#ifndef PEERS_MASKBENCH_H
#define PEERS_MASKBENCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int ours_words(int *end); /* the number of tokens, and the end token */
const char *ours_piece(int token, size_t *size);
size_t ours_tokens(const char *text, size_t size, int *ids, size_t room);
void *ours_open(const char *schema, size_t size); /* NULL: refused */
int ours_judge(void *grammar, const char *text, size_t size);
void ours_begin(void *grammar);
void ours_mask(void *grammar);
int ours_take(void *grammar, int token); /* 0: not allowed */

#ifdef __cplusplus
}
#endif
#endif
