/* text_fields.h - the small fields of a text request, one function each.
 *
 * Invariant: a function has used its field, or refused it by name. */
#ifndef STRATA_TEXT_FIELDS_H
#define STRATA_TEXT_FIELDS_H

#include "text_job.h"

/* The field "model" of any route, or another place that names one: is it this server's?  Where
 * only the tokenizer counts, its adapters are, too. */
bool model_is(const Server *server, Text name, HttpError *error);
bool field_model(const RequestFields *fields, const Server *server, HttpError *error);

/* "model", which may name an adapter, and "lora": t->model, t->lora. */
bool field_adapters(TextJob *t, HttpError *error);
bool field_stream_options(TextJob *t, HttpError *error);
bool field_stops(TextJob *t, HttpError *error);
bool field_banned(const TextJob *t, Answer *a, HttpError *error);

/* Chat: true, and top_logprobs; completions: a number. */
bool field_logprobs(TextJob *t, HttpError *error);
bool field_salt(TextJob *t, Text key, HttpError *error);
bool field_modalities(const RequestFields *fields, HttpError *error);

/* A thinking budget needs a model that thinks, and no grammar that forbids thoughts. */
bool field_think(const TextJob *t, const Chain *chain, bool constrained, HttpError *error);

#endif
