#include <dp2dp/report.h>

#include <math.h>
#include <string.h>

#include <dp2dp/schema.h>

#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/options.h"
#include "base/utf8.h"
#include "report/report.h"

static dp2dp_status check_text(const char *name, const char *text, dp2dp_error *error) {
    return text == NULL || dp2dpi_utf8_valid(text, strlen(text))
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s must be UTF-8 text", name);
}

static dp2dp_status check_test(const dp2dpi_report *r, dp2dp_error *error) {
    const dp2dp_report_options *o = &r->options;
    if (o->scores == NULL) {
        return o->groups || o->labels || o->weights || o->ids
                   ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                 "groups, labels, weights and ids are about the test people, so "
                                 "give the scores of these people too")
                   : DP2DP_STATUS_OK;
    }
    if (o->groups == NULL || o->labels == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the test people have no %s: give the %s of each person, or leave the "
                           "test people out",
                           o->groups ? "labels" : "groups", o->groups ? "true class" : "group");
    }
    if (o->scores->rows < 1 || o->scores->columns != r->info->classes) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "scores have %zu rows and %zu columns: they must have at least 1 row, "
                           "and a column for each of the %zu classes",
                           o->scores->rows, o->scores->columns, r->info->classes);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check(const dp2dpi_report *r, dp2dp_error *error) {
    const dp2dp_report_options *o = &r->options;
    if (r->info->strata == 0) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "the model has no fair rule yet, so there is nothing to report; learn "
            "a rule with dp2dp fit --model or, in Python, dp2dp.fit(..., base=model)");
    }
    if (!(o->confidence > 0 && o->confidence < 1)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "confidence = %g: it must be above 0 and below 1", o->confidence);
    }
    if (o->sweep == NULL && (o->sweep_people || o->data_name)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "sweep_people and data_name are about a sweep, so give the sweep too");
    }
    DP2DPI_TRY(check_text("model_name", o->model_name, error));
    DP2DPI_TRY(check_text("test_name", o->test_name, error));
    DP2DPI_TRY(check_text("label_name", o->label_name, error));
    DP2DPI_TRY(check_text("data_name", o->data_name, error));
    DP2DPI_TRY(check_text("certificate", o->certificate, error));
    DP2DPI_TRY(check_text("sweep", o->sweep, error));
    return check_test(r, error);
}

/* Sets the model's checksum. A model made in memory has no checksum until its text is written, so
 * the function writes the text. */
static dp2dp_status find_checksum(dp2dpi_report *r, dp2dp_error *error) {
    static const char key[] = "\"checksum\": \"";
    char *text = NULL;
    size_t length = 0;
    if (r->info->checksum) {
        memcpy(r->checksum, r->info->checksum, sizeof r->checksum);
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(dp2dp_model_to_json(r->model, &text, &length, error));
    size_t at = length - (sizeof "\"\n}\n" - 1) - (DP2DPI_HASH_SIZE - 1);
    int found = at < length && at > sizeof key &&
                memcmp(text + at - (sizeof key - 1), key, sizeof key - 1) == 0;
    if (found) {
        memcpy(r->checksum, text + at, DP2DPI_HASH_SIZE - 1);
    }
    dp2dp_text_free(text);
    return found ? DP2DP_STATUS_OK
                 : dp2dpi_fail(error, DP2DP_STATUS_INTERNAL, "the model's text has no checksum");
}

static dp2dp_status find_schema(dp2dpi_report *r, dp2dp_error *error) {
    dp2dp_schema *schema = NULL;
    if (r->info->classifier == NULL) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(dp2dp_schema_load(r->info->classifier->schema, &schema, error));
    dp2dp_status status = dp2dpi_strdup(dp2dp_schema_view(schema)->name, &r->schema_name, error);
    dp2dp_schema_free(schema);
    return status;
}

static dp2dp_status find_certificate(dp2dpi_report *r, dp2dp_error *error) {
    if (r->options.certificate == NULL) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(dp2dp_certificate_load(r->options.certificate, &r->certificate, error));
    return strcmp(r->certificate->model_checksum, r->checksum) == 0
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_DATA,
                             "the certificate is about another model: that model has the checksum "
                             "%.16s..., and this model has %.16s...; run dp2dp certify on this "
                             "model, and give the new certificate instead of %.120s",
                             r->certificate->model_checksum, r->checksum, r->options.certificate);
}

static dp2dp_status find_statistics(dp2dpi_report *r, dp2dp_error *error) {
    const dp2dpi_criterion criterion = {.criterion = r->info->criterion,
                                        .positive = r->info->positive,
                                        .custom = r->info->statistics,
                                        .custom_count = r->info->statistic_count};
    return dp2dpi_statistics_new(&criterion, r->info->labels, r->info->classes, &r->statistics,
                                 error);
}

static dp2dp_status gather(dp2dpi_report *r, dp2dp_error *error) {
    DP2DPI_TRY(check(r, error));
    DP2DPI_TRY(find_checksum(r, error));
    DP2DPI_TRY(find_schema(r, error));
    DP2DPI_TRY(find_certificate(r, error));
    DP2DPI_TRY(find_statistics(r, error));
    if (r->options.sweep) {
        DP2DPI_TRY(dp2dpi_sweep_read(r, &r->sweep, error));
    }
    if (r->options.scores) {
        DP2DPI_TRY(dp2dpi_report_measure(r, &r->measured, error));
    }
    r->data = dp2dpi_report_data(r);
    return r->data
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory while writing a report");
}

static void put_body(const dp2dpi_report *r, dp2dpi_html *h) {
    dp2dpi_report_banner(r, h);
    dp2dpi_html_put(h, "<main>\n");
    dp2dpi_report_decide(r, h);
    dp2dpi_report_explore(r, h);
    dp2dpi_report_audit(r, h);
    dp2dpi_html_put(h, "</main>\n");
}

/* Appends the template, with its three marks replaced by the page's title, body and data. The marks
 * must come in the order of `marks`. */
static void put_page(const dp2dpi_report *r, dp2dpi_html *h) {
    static const char *const marks[] = {"<!--dp2dp:title-->", "<!--dp2dp:body-->",
                                        "<!--dp2dp:data-->"};
    const char *rest = (const char *)dp2dpi_report_template;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *mark = strstr(rest, marks[i]);
        if (mark == NULL) {
            h->out.status = dp2dpi_fail(h->out.error, DP2DP_STATUS_INTERNAL,
                                        "the template of the page lacks %s", marks[i]);
            return;
        }
        dp2dpi_html_bytes(h, rest, (size_t)(mark - rest));
        rest = mark + strlen(marks[i]);
        if (i == 0) {
            dp2dpi_html_plain(h, json_string_value(json_object_get(r->data, "title")));
        } else if (i == 1) {
            put_body(r, h);
        } else {
            dp2dpi_html_json(h, r->data);
        }
    }
    dp2dpi_html_put(h, rest);
}

static void release(dp2dpi_report *r) {
    json_decref(r->data);
    dp2dp_certificate_file_free(r->certificate);
    dp2dpi_statistics_free(&r->statistics);
    dp2dpi_measured_free(&r->measured);
    dp2dpi_sweep_free(&r->sweep);
    dp2dpi_free(r->schema_name);
}

dp2dp_status dp2dp_report(const dp2dp_model *model, const dp2dp_report_options *options,
                          char **text, size_t *length, dp2dp_error *error) {
    dp2dpi_report r = {.model = model};
    dp2dpi_html page = {.out = {.error = error}};
    dp2dpi_c_locale scope = {0};
    const dp2dp_report_options defaults = DP2DP_REPORT_OPTIONS_INIT;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (text == NULL || length == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "text and length must not be NULL");
    }
    *text = NULL;
    *length = 0;
    if (model == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "model must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_REPORT_OPTIONS, options ? options : &defaults,
                                  &r.options, error));
    DP2DPI_TRY(dp2dpi_c_locale_enter(&scope, error));
    r.info = dp2dp_model_view(model);
    DP2DPI_TRY_OR_DONE(gather(&r, error));
    page.data = r.data;
    put_page(&r, &page);
    status = page.out.status;
    if (r.options.sweep_unchecked) {
        *r.options.sweep_unchecked = dp2dpi_report_sweep_is_unchecked(&r);
    }
    if (r.options.warnings) {
        *r.options.warnings =
            r.measured.warnings | dp2dpi_report_said(&r) |
            (dp2dpi_report_sweep_is_as_many(&r) ? (unsigned)DP2DP_WARNING_AS_MANY_PEOPLE : 0U);
    }
done:
    if (status == DP2DP_STATUS_OK) {
        *text = page.out.bytes;
        *length = page.out.length;
    } else {
        dp2dpi_html_free(&page);
    }
    release(&r);
    dp2dpi_c_locale_leave(&scope);
    return status;
}
