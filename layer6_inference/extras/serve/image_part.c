/* image_part.c - see image_part.h. */
#include "image_part.h"

#include "base64.h"
#include "share.h"
#include "json.h"
#include "picture.h"

#include <string.h>
#include <strings.h>

#define WANTED "wanted data:image/png;base64,... or data:image/jpeg;base64,..."

static bool image_part_wrong(HttpError *r, const char *what) {
    return http_error(r, 400, "messages", "%s", what);
}

/* ------------------------------------------------------------------ decoding */

/* Schemes and media types are case-insensitive. */
static bool image_part_begins(Text text, const char *with) {
    return text.size >= strlen(with) && strncasecmp(text.data, with, strlen(with)) == 0;
}

static Text behind(Text text, size_t n) { return (Text){text.data + n, text.size - n}; }

/* The type in the URL only has to be a known one: the file's first bytes decide. */
static bool is_read(Text type) {
    static const char *const types[] = {"image/png", "image/jpeg", "image/jpg",
                                        "image/x-portable-pixmap"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type.size == strlen(types[i]) && image_part_begins(type, types[i])) return true;
    return false;
}

/* data:TYPE;base64,DATA; TYPE may have parameters: ;charset=..., ;name=... */
static bool find_letters(Text url, Text *letters, HttpError *error) {
    size_t type = 0;
    if (image_part_begins(url, "http:") || image_part_begins(url, "https:"))
        return image_part_wrong(error, "url: this server downloads nothing: " WANTED);
    if (!image_part_begins(url, "data:"))
        return image_part_wrong(error, "url: not an image: " WANTED);
    url = behind(url, strlen("data:"));
    while (type < url.size && url.data[type] != ';' && url.data[type] != ',') type++;
    if (!is_read((Text){url.data, type}))
        return http_error(error, 400, "messages", "url: the type is '%.*s': " WANTED,
                          (int)min_size(type, 40), url.data);
    const char *comma = memchr(url.data, ',', url.size);
    size_t said = comma ? (size_t)(comma - url.data) : 0, word = strlen(";base64");
    if (said < type + word || !image_part_begins(behind(url, said - word), ";base64"))
        return image_part_wrong(error, "url: not base64: " WANTED);
    *letters = behind(url, said + 1);
    return true;
}

/* "auto", "low" or missing: all mean the one size there is. */
static bool check_detail(const JsonValue *detail, HttpError *error) {
    if (!detail || (detail->kind == JSON_STRING && (text_equal(detail->text, text_of("auto")) ||
                                                    text_equal(detail->text, text_of("low")))))
        return true;
    return image_part_wrong(error, "detail: wanted auto or low");
}

static bool find_url(const JsonValue *part, Text *url, HttpError *error) {
    const JsonValue *image = json_get(part, "image_url"), *text, *detail;
    if (!image || image->kind != JSON_OBJECT || part->count != 2)
        return image_part_wrong(error, "wanted its type and an object image_url");
    text = json_get(image, "url"), detail = json_get(image, "detail");
    if (!text || text->kind != JSON_STRING || image->count != 1 + (size_t)(detail != NULL))
        return image_part_wrong(error, "image_url: wanted its url, a text, and detail at most");
    *url = text->text;
    return check_detail(detail, error);
}

/* ------------------------------------------------------------------ encoding */

/* Of all images of a request: one of 64 million pixels is 80 KB, and a second of work. */
enum { REQUEST_PIXELS = 2 * PICTURE_MAX };

static bool shape(Shown *shown, Text letters, Picture *square, HttpError *error) {
    Bytes bytes = {0};
    size_t pixels = 0;
    bool ok = base64_read(letters, &bytes, &error->fault) &&
              pictures_shape(shown->of, (Text){bytes.data ? bytes.data : "", bytes.size},
                             &pixels, square, &error->fault);
    bytes_free(&bytes);
    if (!ok) return http_error_fault(error, 400, "messages");
    shown->pixels += pixels;
    if (shown->pixels <= REQUEST_PIXELS) return true;
    picture_free(square);
    return http_error(error, 400, "messages",
                      "the images have %zu pixels, wanted at most %d per request",
                      shown->pixels, REQUEST_PIXELS);
}

bool image_part_take(const JsonValue *part, Prompts *prompts, HttpError *error) {
    Shown *shown = &prompts->shown;
    Text url = {0}, letters = {0};
    Picture square;
    size_t number;
    if (!shown->of)
        return image_part_wrong(error,
                                "this server reads no images: start it with --mmproj FILE");
    const size_t room = shown->of->room,
                 most = min_size(shown->of->shared ? share_most(room) : room, SHOWN_MOST);
    if (shown->count == most)
        return http_error(error, 400, "messages", "at most %zu images per request", most);
    if (!find_url(part, &url, error) || !find_letters(url, &letters, error) ||
        !shape(shown, letters, &square, error))
        return false;
    if (!pictures_take(shown->of, &square, prompts->user, prompts->salt, &number))
        return http_error(error, 429, "messages", "no slot for an image: all %zu are taken%s",
                          room,
                          shown->of->shared ? ", or this key holds as many as are free" : "");
    shown_add(shown, number);
    return true;
}

typedef struct Look {
    Pictures *pictures;
    size_t number;
} Look;

static bool image_part_look(Session *session, void *context, Fault *fault) {
    const Look *l = context;
    (void)session; /* the vision encoder's own session */
    return pictures_read(l->pictures, l->number, fault);
}

bool image_parts_read(const TextJob *t, const HttpRequest *request, HttpError *error) {
    const Shown *shown = &t->job->shown;
    for (size_t i = 0; i < shown->count; i++) {
        Look this = {shown->of, shown->number[i]};
        Task task = {.run = image_part_look,
                     .context = &this,
                     .session = &shown->of->vision.session,
                     .is_gone = request->is_gone,
                     .client = request->client};
        if (pictures_is_read(shown->of, shown->number[i])) continue;
        if (worker_run(t->server, &task, &error->fault)) continue;
        return request->is_gone(request->client)
                   ? http_error(error, 499, NULL, "the client disconnected")
                   : http_error_fault(error, 503, NULL);
    }
    return true;
}
