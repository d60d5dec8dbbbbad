/* web_ui.c - the page at /, compiled into the program (page.html). */
#include "request.h"

#include <string.h>

static const char page[] =
#include "page.html.inc"
    ;

void handle_page(const HttpRequest *request, Reply *reply) {
    (void)request;
    *reply = (Reply){.status = 200, .type = "text/html; charset=utf-8"};
    if (!(reply->body = strdup(page)))
        reply->status = 500;
    else
        reply->size = sizeof page - 1;
}
