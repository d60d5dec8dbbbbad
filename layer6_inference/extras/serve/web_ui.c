/* web_ui.c - the page at / and its parts under /ui, compiled into the program. */
#include "request.h"

#include <string.h>

static const char page_html[] =
#include "ui/page.html.inc"
    ;
static const char page_css[] =
#include "ui/page.css.inc"
    ;
static const char page_js[] =
#include "ui/page.js.inc"
    ;
static const char token_js[] =
#include "ui/token.js.inc"
    ;
static const char scheduler_js[] =
#include "ui/scheduler.js.inc"
    ;
static const char look_css[] =
#include "ui/look.css.inc"
    ;

static const struct {
    const char *rest, *type, *text; /* rest: of the path after its route */
    size_t size;
} files[] = {
    {"", "text/html; charset=utf-8", page_html, sizeof page_html - 1},
    {"/page.css", "text/css; charset=utf-8", page_css, sizeof page_css - 1},
    {"/look.css", "text/css; charset=utf-8", look_css, sizeof look_css - 1},
    {"/page.js", "text/javascript; charset=utf-8", page_js, sizeof page_js - 1},
    {"/token.js", "text/javascript; charset=utf-8", token_js, sizeof token_js - 1},
    {"/scheduler.js", "text/javascript; charset=utf-8", scheduler_js, sizeof scheduler_js - 1},
};

void handle_page(const HttpRequest *request, Reply *reply) {
    HttpError error = {0};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(request->rest, files[i].rest) != 0) continue;
        *reply = (Reply){.status = 200, .type = files[i].type, .size = files[i].size};
        if (!(reply->body = strdup(files[i].text))) reply->status = 500, reply->size = 0;
        return;
    }
    http_error(&error, 404, NULL, "no such file of the page: '%.80s'", request->rest);
    reply_error(reply, &error);
}
