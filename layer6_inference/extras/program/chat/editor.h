/* editor.h - a line that is typed in a terminal: moved about in, corrected, brought back from before.
 *
 * libedit does it where it is installed.  It is looked for when a conversation begins, so that the program itself needs
 * nothing but the system's libraries.
 *
 * Invariant: while nothing is being typed the terminal is as it was found. */
#ifndef STRATA_EDITOR_H
#define STRATA_EDITOR_H

#include "models.h"

typedef struct Editor Editor;

/* An editor of what comes from standard input.
 *
 *   history   a file of lines that were typed before, which editor_close writes again; NULL: none
 *
 * Fails where libedit is not installed, and when the file is there and is no history. */
Editor *editor_open(const char *history, Fault *fault);

/* Fails when the history cannot be written; the editor is closed all the same.  NULL is none. */
bool editor_close(Editor *editor, Fault *fault);

/* A line without its end, (*size) bytes, which the caller frees; NULL when there are no more.  Ctrl-C drops what was
 * typed: the line is empty then. */
char *editor_line(Editor *editor, const char *prompt, size_t *size);

#endif
