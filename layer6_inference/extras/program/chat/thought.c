/* thought.c - see thought.h. */
#include "thought.h"

#include <stdio.h>
#include <string.h>

static const char open_mark[] = "<think>", close_mark[] = "</think>";

static void thought_show(Thought *t, char c) {
    bool blank = c == ' ' || c == '\n';
    if (t->inside && !t->shows) return;
    if (t->begins && blank && !t->inside) return;
    if (!t->inside) t->begins = false;
    putchar(c);
}

static void switch_sides(Thought *t) {
    t->inside = !t->inside;
    if (t->inside) {
        t->any = true;
        fputs(!t->shows ? "[thinking ...]\n" : t->colours ? "\033[2m" : "[thinking] ", stdout);
    } else {
        if (t->shows) fputs(t->colours ? "\033[0m\n" : "[/thinking]\n", stdout);
        t->begins = true;
    }
}

static void take_byte(Thought *t, char c) {
    const char *mark = t->inside ? close_mark : open_mark;
    size_t size = strlen(mark);
    t->held[t->held_size++] = c;
    while (t->held_size && memcmp(t->held, mark, t->held_size) != 0) {
        thought_show(t, t->held[0]);
        memmove(t->held, t->held + 1, --t->held_size);
    }
    if (t->held_size < size) return;
    t->held_size = 0;
    switch_sides(t);
}

void thought_push(Thought *t, Text text) {
    for (size_t i = 0; i < text.size; i++) take_byte(t, text.data[i]);
    fflush(stdout);
}

void thought_finish(Thought *t) {
    for (size_t i = 0; i < t->held_size; i++) thought_show(t, t->held[i]);
    t->held_size = 0;
    if (t->inside && t->shows && t->colours) fputs("\033[0m", stdout);
    putchar('\n');
    fflush(stdout);
}
