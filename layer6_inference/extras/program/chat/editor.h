/* editor.h - line editing and history in a terminal.
 *
 * libedit does it, if installed; it is loaded when a conversation starts, so that the program
 * needs only the system's libraries.
 *
 * Invariant: while no line is being typed the terminal is in its original state. */
#ifndef STRATA_EDITOR_H
#define STRATA_EDITOR_H

#include "models.h"

typedef struct Editor Editor;

/* An editor for standard input.
 *
 *   history   file of earlier lines, which editor_close writes; NULL: none
 *
 * Fails if libedit is missing, and if the file exists and is no history. */
Editor *editor_open(const char *history, Fault *fault);

/* Fails if the history cannot be written; the editor is closed even then.  NULL is allowed. */
bool editor_close(Editor *editor, Fault *fault);

/* A line without its end, (*size) bytes, to be freed; NULL at the end of input.  Ctrl-C
 * gives an empty line. */
char *editor_line(Editor *editor, const char *prompt, size_t *size);

#endif
