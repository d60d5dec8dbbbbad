/* editor.c - see editor.h.
 *
 * Source   libedit's histedit.h: these functions and numbers have not changed since 2001. */
#include "editor.h"

#include "file_write.h"

#include <dlfcn.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the library */

enum { EL_PROMPT = 0, EL_EDITOR = 2, EL_BIND = 4, EL_SETTY = 8, EL_ADDFN = 9, EL_HIST = 10 };
enum { H_SETSIZE = 1, H_ENTER = 10, H_LOAD = 17, H_SAVE = 18, H_SETUNIQUE = 20 };
enum { CC_NEWLINE = 1 };
enum { HISTORY_LINES = 1000 };

typedef struct EditLine EditLine;
typedef struct History History;
typedef struct HistEvent {
    int number;
    const char *text;
} HistEvent;

typedef struct Library {
    EditLine *(*init)(const char *program, FILE *in, FILE *out, FILE *err);
    void (*end)(EditLine *line);
    const char *(*gets)(EditLine *line, int *count);
    int (*set)(EditLine *line, int what, ...);
    int (*source)(EditLine *line, const char *path);
    History *(*history_init)(void);
    void (*history_end)(History *history);
    int (*history)(History *history, HistEvent *event, int what, ...);
} Library;

struct Editor {
    void *handle;
    Library lib;
    EditLine *line;
    History *history;
    HistEvent event;
    const char *path;   /* of the history; NULL: none */
    const char *prompt; /* of the current line */
    bool dropped;       /* by Ctrl-C */
};

static bool editor_find(void *handle, const char *name, void *function) {
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool find_all(void *h, Library *l) {
    return editor_find(h, "el_init", &l->init) && editor_find(h, "el_end", &l->end) &&
           editor_find(h, "el_gets", &l->gets) && editor_find(h, "el_set", &l->set) &&
           editor_find(h, "el_source", &l->source) &&
           editor_find(h, "history_init", &l->history_init) &&
           editor_find(h, "history_end", &l->history_end) &&
           editor_find(h, "history", &l->history);
}

static bool editor_load(Editor *e, Fault *fault) {
    static const char *const names[] = {"libedit.so.2", "libedit.so.0", "libedit.so",
                                        "libedit.3.dylib", "/usr/lib/libedit.3.dylib"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !e->handle; i++)
        e->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return (e->handle && find_all(e->handle, &e->lib)) ||
           fault_set(
               fault,
               "libedit, for editing and history, is not installed (apt-get install libedit2)");
}

/* ------------------------------------------------------------------ opening and closing */

/* libedit passes nothing but its own state to callbacks: find the editor by that. */
static Editor *here;

static const char *prompt_of(EditLine *line) {
    (void)line;
    return here->prompt;
}

static unsigned char drop_line(EditLine *line, int key) {
    (void)line, (void)key;
    here->dropped = true;
    return CC_NEWLINE;
}

/* Typed text is UTF-8, whatever the locale. */
static void choose_characters(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0 && !setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "en_US.UTF-8");
}

/* Ctrl-C is a key while a line is typed, and a signal otherwise.  User bindings are in
 * ~/.editrc. */
static bool open_line(Editor *e) {
    const Library *l = &e->lib;
    choose_characters();
    if (!(e->line = l->init("strata", stdin, stdout, stderr))) return false;
    l->set(e->line, EL_PROMPT, prompt_of);
    l->set(e->line, EL_EDITOR, "emacs");
    l->source(e->line, NULL);
    l->set(e->line, EL_SETTY, "-d", "-isig", NULL);
    l->set(e->line, EL_ADDFN, "drop-line", "start the line again", drop_line);
    l->set(e->line, EL_BIND, "^C", "drop-line", NULL);
    return true;
}

static bool open_history(Editor *e, Fault *fault) {
    const Library *l = &e->lib;
    if (!(e->history = l->history_init()))
        return fault_set(fault, "no memory for a history of lines");
    l->history(e->history, &e->event, H_SETSIZE, HISTORY_LINES);
    l->history(e->history, &e->event, H_SETUNIQUE, 1);
    l->set(e->line, EL_HIST, l->history, e->history);
    if (!e->path) return true;
    if (access(e->path, F_OK) != 0) return file_writable(e->path, fault);
    return l->history(e->history, &e->event, H_LOAD, e->path) >= 0 ||
           fault_set(fault, "--history '%.200s' is not a history file", e->path);
}

static void let_go(Editor *e) {
    if (e->line) e->lib.end(e->line);
    if (e->history) e->lib.history_end(e->history);
    free(e), here = NULL; /* the library stays loaded: its terminal state is still in use */
}

Editor *editor_open(const char *history, Fault *fault) {
    Editor *e = calloc(1, sizeof *e);
    if (!e) return fault_set(fault, "no memory for a line"), NULL;
    e->path = history, here = e;
    if (editor_load(e, fault)) {
        if (!open_line(e))
            fault_set(fault, "libedit cannot edit in this terminal");
        else if (open_history(e, fault))
            return e;
    }
    return let_go(e), NULL;
}

bool editor_close(Editor *e, Fault *fault) {
    if (!e) return true;
    errno = 0;
    bool ok = !e->path || e->lib.history(e->history, &e->event, H_SAVE, e->path) >= 0 ||
              fault_set(fault, "--history '%.200s' cannot be written: %s", e->path,
                        errno ? strerror(errno) : "libedit gives no reason");
    let_go(e);
    return ok;
}

/* ------------------------------------------------------------------ a line */

/* Written at once: closing the terminal window ends the program without notice. */
static void keep_line(Editor *e, const char *line) {
    e->lib.history(e->history, &e->event, H_ENTER, line);
    if (e->path) e->lib.history(e->history, &e->event, H_SAVE, e->path);
}

char *editor_line(Editor *e, const char *prompt, size_t *size) {
    int count = 0;
    e->prompt = prompt, e->dropped = false, *size = 0;
    const char *typed = e->lib.gets(e->line, &count);
    if (e->dropped) return putchar('\n'), strdup("");
    if (!typed || count <= 0) return NULL;
    char *line = strndup(typed, (size_t)count);
    if (!line) return NULL;
    *size = strcspn(line, "\r\n");
    line[*size] = 0;
    if (*size) keep_line(e, line);
    return line;
}
