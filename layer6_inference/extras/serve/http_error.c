/* http_error.c - see http_error.h. */
#include "http_error.h"

#include "calls/write.h"

#include <stdarg.h>
#include <stdio.h>

bool http_error_fault(HttpError *r, int status, const char *param) {
    r->status = status;
    r->code = NULL;
    snprintf(r->param, sizeof r->param, "%s", param ? param : "");
    return false;
}

bool http_error(HttpError *r, int status, const char *param, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->fault.text, sizeof r->fault.text, format, arguments);
    va_end(arguments);
    return http_error_fault(r, status, param);
}

static const char *type_of(int status) {
    static const struct {
        int status;
        const char *type;
    } types[] = {{400, "invalid_request_error"}, {401, "authentication_error"},
                 {403, "permission_error"},      {404, "not_found_error"},
                 {405, "invalid_request_error"}, {413, "invalid_request_error"},
                 {415, "invalid_request_error"}, {429, "rate_limit_error"},
                 {501, "not_supported_error"},   {503, "unavailable_error"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].status == status) return types[i].type;
    return "server_error";
}

void http_error_write(const HttpError *r, FILE *out) {
    fputs("{\"error\":{\"message\":", out);
    write_text(out, text_of(r->fault.text));
    fprintf(out, ",\"type\":\"%s\",\"param\":", type_of(r->status));
    if (r->param[0])
        write_text(out, text_of(r->param));
    else
        fputs("null", out);
    fprintf(out, r->code ? ",\"code\":\"%s\"}}" : ",\"code\":null}}", r->code);
}
