/* page.c - the page at /, which lies in the program (page.html). */
#include "call.h"

#include <string.h>

static const char page[] =
#include "page.html.inc"
    ;

void handle_page(const Call *call, Reply *reply) {
    (void)call;
    *reply = (Reply){.status = 200, .type = "text/html; charset=utf-8"};
    if (!(reply->body = strdup(page)))
        reply->status = 500;
    else
        reply->size = sizeof page - 1;
}
