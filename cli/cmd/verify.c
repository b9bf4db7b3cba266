#include "cmd/cmd.h"
#include "common/json.h"

typedef struct findings {
    cli_out *out;
    cli_json *json; /* NULL if the output is text */
    size_t checks, failed, noted;
} findings;

static void print_json(const dp2dp_check *check, cli_json *json) {
    cli_json_open_object(json, NULL);
    cli_json_text(json, "check", check->what);
    cli_json_text(json, "file", check->file);
    cli_json_text(json, "other", check->other);
    cli_json_text(json, "result", dp2dp_check_result_name(check->result));
    cli_json_text(json, "message", check->message);
    cli_json_close_object(json);
}

static void print_text(const dp2dp_check *check, cli_out *out) {
    int fails = check->result == DP2DP_CHECK_FAILS;
    fprintf(out->stream, "%s%-7s%s", fails ? cli_alarm(out) : "",
            fails ? "FAILS" : dp2dp_check_result_name(check->result), fails ? cli_plain(out) : "");
    cli_print_safely(out->stream, check->file);
    if (check->other) {
        fputs(" against ", out->stream);
        cli_print_safely(out->stream, check->other);
    }
    fputc('\n', out->stream);
    cli_out_prose(out, "%s", check->message);
}

static void report(void *context, const dp2dp_check *check) {
    findings *f = context;
    f->checks++;
    f->failed += check->result == DP2DP_CHECK_FAILS;
    f->noted += check->result == DP2DP_CHECK_NOTED;
    if (f->json) {
        print_json(check, f->json);
    } else {
        print_text(check, f->out);
    }
}

static void conclude(const findings *f, cli_out *out) {
    size_t judged = f->checks - f->noted;
    if (f->failed > 0) {
        fprintf(out->stream, "\n%s%zu of %zu checks FAIL%s", cli_alarm(out), f->failed, judged,
                cli_plain(out));
    } else {
        fprintf(out->stream, "\n%s%zu %s%s", cli_bold(out), judged,
                judged == 1 ? "check holds" : "checks hold", cli_plain(out));
    }
    if (f->noted > 0) {
        fprintf(out->stream, "; %zu more %s noted above", f->noted, f->noted == 1 ? "is" : "are");
    }
    fputc('\n', out->stream);
    cli_out_prose(
        out, "If the last entries of a ledger were removed, these checks notice the removal only "
             "if one of the files is a model or certificate whose charge was among those entries.");
}

dp2dp_status cmd_verify(const cli_args *args, cli_out *out, dp2dp_error *error) {
    findings f = {.out = out};
    cli_json json;
    if (cli_given(args, "json")) {
        json = cli_json_begin(out->stream);
        f.json = &json;
        cli_json_open_array(&json, "checks");
    }
    dp2dp_status status = dp2dp_verify(args->operands, args->operand_count, report, &f, error);
    if (status != DP2DP_STATUS_OK && status != DP2DP_STATUS_DATA) {
        return status;
    }
    if (f.json) {
        cli_json_close_array(&json);
        cli_json_truth(&json, "holds", f.failed == 0);
        cli_json_end(&json);
    } else {
        conclude(&f, out);
    }
    out->verdict = status;
    return DP2DP_STATUS_OK;
}
