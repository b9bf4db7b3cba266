/* Tests what a schema says about its columns, and which texts are refused as schemas. */
#include "unit/schema/data.h"

TEST(built_in_schemas_have_the_width_of_the_paper) {
    static const struct {
        const char *name;
        size_t width, numbers, categories;
    } known[] = {{"adult", 102, 6, 7},
                 {"adult-cut", 125, 0, 11},
                 {"credit", 85, 14, 8},
                 {"parkinsons", 19, 19, 0}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        HANDLE(dp2dp_schema) *schema = schema_of(known[i].name);
        const dp2dp_schema_info *info = dp2dp_schema_view(schema);
        assert_string_equal(info->name, known[i].name);
        assert_int_equal(info->width, known[i].width);
        assert_int_equal(info->numbers, known[i].numbers);
        assert_int_equal(info->categories, known[i].categories);
        assert_int_equal(info->class_count, 2);
        assert_int_equal(info->group_count, 2);
        assert_int_equal(info->origin, DP2DP_ORIGIN_PUBLIC);
    }
}

static void expect_same_texts(const char *const *a, const char *const *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(a[i], b[i]);
    }
}

/* Compares everything that the encoder uses. */
static void expect_same_column(const dp2dp_schema_column *a, const dp2dp_schema_column *b) {
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->role, b->role);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->first, b->first);
    if (a->number != SIZE_MAX) {
        assert_true(a->lower == b->lower && a->upper == b->upper);
        assert_true(a->centre == b->centre && a->scale == b->scale);
        assert_int_equal(a->log1p, b->log1p);
    }
    assert_int_equal(a->unknown, b->unknown);
    assert_int_equal(a->missing, b->missing);
    assert_int_equal(a->cut_count, b->cut_count);
    for (size_t i = 0; i < a->cut_count; i++) {
        assert_true(a->cuts[i] == b->cuts[i]);
    }
    assert_int_equal(a->declared_count, b->declared_count);
    assert_int_equal(a->level_count, b->level_count);
    expect_same_texts(a->levels, b->levels, a->level_count);
    assert_int_equal(a->alias_count, b->alias_count);
    for (size_t i = 0; i < a->alias_count; i++) {
        assert_string_equal(a->aliases[i].text, b->aliases[i].text);
        assert_string_equal(a->aliases[i].level, b->aliases[i].level);
    }
}

static void expect_same_schema(const dp2dp_schema_info *a, const dp2dp_schema_info *b) {
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->origin, b->origin);
    assert_true(a->norm == b->norm);
    assert_int_equal(a->trim, b->trim);
    assert_int_equal(a->marker_count, b->marker_count);
    expect_same_texts(a->markers, b->markers, a->marker_count);
    assert_int_equal(a->column_count, b->column_count);
    for (size_t i = 0; i < a->column_count; i++) {
        expect_same_column(&a->columns[i], &b->columns[i]);
    }
    assert_int_equal(a->width, b->width);
}

TEST(the_text_of_a_schema_reads_back_to_the_same_schema) {
    const char *const sources[] = {"adult", "adult-cut", "credit", "parkinsons", sample_schema};
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        HANDLE(dp2dp_schema) *schema = schema_of(sources[i]);
        const dp2dp_schema_info *info = dp2dp_schema_view(schema);
        HANDLE(dp2dp_schema) *again = schema_of(info->text);
        assert_string_equal(dp2dp_schema_view(again)->text, info->text);
        expect_same_schema(info, dp2dp_schema_view(again));
        assert_int_equal(strlen(info->text), info->text_length);
    }
}

static const dp2dp_schema_column *column_of(const dp2dp_schema_info *info, const char *name) {
    for (size_t i = 0; i < info->column_count; i++) {
        if (strcmp(info->columns[i].name, name) == 0) {
            return &info->columns[i];
        }
    }
    fail_msg("no column \"%s\"", name);
    return NULL;
}

TEST(what_is_left_out_has_its_documented_default) {
    HANDLE(dp2dp_schema) *schema = schema_of(
        HEADING "\"origin\": \"from-data\", \"columns\": ["
                "{\"name\": \"a\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": -1, "
                "\"upper\": 3},"
                "{\"name\": \"b\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, "
                "\"upper\": 1.718281828459045, \"log1p\": true},"
                "{\"name\": \"c\", \"role\": \"feature\", \"kind\": \"categorical\", "
                "\"levels\": [\"x\"]},"
                "{\"name\": \"g\", \"role\": \"sensitive\", \"kind\": \"categorical\", "
                "\"levels\": [\"x\", \"y\"]}]}");
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    const dp2dp_schema_column *a = column_of(info, "a"), *b = column_of(info, "b");
    const dp2dp_schema_column *c = column_of(info, "c"), *g = column_of(info, "g");
    assert_string_equal(info->name, "");
    assert_true(info->norm == 3);
    assert_false(info->trim);
    assert_int_equal(info->marker_count, 0);
    assert_int_equal(info->origin, DP2DP_ORIGIN_FROM_DATA);
    assert_true(a->centre == 1 && a->scale == 2 && !a->log1p);
    assert_true(fabs(b->centre - 0.5) < 1e-15 && fabs(b->scale - 0.5) < 1e-15);
    assert_int_equal(a->missing, DP2DP_POLICY_REFUSE);
    assert_int_equal(c->unknown, DP2DP_POLICY_LEVEL);
    assert_int_equal(c->missing, DP2DP_POLICY_REFUSE);
    assert_int_equal(c->level_count, 2);
    assert_string_equal(c->levels[1], "(unknown)");
    assert_int_equal(g->unknown, DP2DP_POLICY_REFUSE);
    assert_int_equal(info->class_count, 0);
    assert_int_equal(info->width, 4);
}

TEST(features_are_numbers_first_and_then_levels_in_the_order_of_columns) {
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    assert_int_equal(info->numbers, 2);
    assert_int_equal(column_of(info, "age")->number, 0);
    assert_int_equal(column_of(info, "pay")->number, 1);
    assert_int_equal(column_of(info, "age")->first, 2); /* the level "(missing)" */
    assert_int_equal(column_of(info, "hours")->first, 3);
    assert_int_equal(column_of(info, "job")->first, 6);
    assert_int_equal(column_of(info, "town")->first, 10);
    assert_int_equal(info->categories, 4);
    assert_int_equal(info->width, 12);
    assert_string_equal(column_of(info, "hours")->levels[0], "<= 20");
    assert_string_equal(column_of(info, "hours")->levels[1], "(20, 40.5]");
    assert_string_equal(column_of(info, "hours")->levels[2], "> 40.5");
    assert_string_equal(column_of(info, "job")->levels[2], "(unknown)");
    assert_string_equal(column_of(info, "job")->levels[3], "(missing)");
    assert_int_equal(column_of(info, "hours")->type, DP2DP_TABLE_NUMBER);
    assert_int_equal(column_of(info, "job")->type, DP2DP_TABLE_TEXT);
}

TEST(groups_are_the_product_of_the_sensitive_columns) {
    static const char *const expected[] = {"female \xC3\x97 black",     "female \xC3\x97 white",
                                           "female \xC3\x97 (unknown)", "male \xC3\x97 black",
                                           "male \xC3\x97 white",       "male \xC3\x97 (unknown)"};
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    assert_int_equal(info->group_count, 6);
    for (size_t g = 0; g < 6; g++) {
        assert_string_equal(info->groups[g], expected[g]);
    }
    assert_int_equal(info->class_count, 2);
    assert_string_equal(info->classes[0], "low");
    assert_string_equal(info->classes[1], "high");
}

typedef struct fault {
    const char *from, *to, *words;
} fault;

static void expect_refused(const char *text, const char *words) {
    dp2dp_schema *schema = NULL;
    dp2dp_error error = {0};
    dp2dp_status status = dp2dp_schema_load(text, &schema, &error);
    if (status != DP2DP_STATUS_DATA || schema || strstr(error.message, words) == NULL) {
        fail_msg("status %d, \"%s\" and not \"%s\"", (int)status, error.message, words);
    }
}

static void expect_all_refused(const fault *faults, size_t count) {
    for (size_t i = 0; i < count; i++) {
        FREED char *text = edited(sample_schema, faults[i].from, faults[i].to);
        expect_refused(text, faults[i].words);
    }
}
#define REFUSE_ALL(faults) expect_all_refused(faults, sizeof(faults) / sizeof((faults)[0]))

TEST(members_of_the_wrong_kind_are_refused_by_name) {
    static const fault faults[] = {
        {"dp2dp-schema", "dp2dp-model", "this is a model, not a schema"},
        {"\"name\": \"sample\"", "\"name\": 1", "name: must be text"},
        {"\"name\": \"sample\"", "\"nmae\": \"sample\"", "nmae: unknown member of a schema"},
        {"\"name\": \"sample\"", "\"trim\": true", "duplicate"},
        {"\"public\"", "\"private\"", "origin: must be"},
        {"\"origin\": \"public\", ", "", "origin: must be"},
        {"\"norm\": 2", "\"norm\": 0", "norm: must be from 0.001 to 1e6"},
        {"\"norm\": 2", "\"norm\": \"2\"", "norm: must be a number"},
        {"\"trim\": true", "\"trim\": 1", "trim: must be true or false"},
        {"[\"?\", \"\"]", "\"?\"", "missing: must be an array"},
        {"[\"?\", \"\"]", "[1]", "missing: must be text"},
        {"\"name\": \"age\", ", "", "columns.name: must be text of 1 to 512 bytes"},
        {"\"name\": \"age\"", "\"name\": \"a\\u0000ge\"", "schema, line"},
        {"{\"name\": \"note\", \"role\": \"ignore\"}", "7", "columns: must be an array of objects"},
        {"\"role\": \"feature\"", "\"role\": \"figure\"",
         "column \"age\": role: must be feature, label, sensitive or ignore"},
        {"\"kind\": \"numeric\"", "\"kind\": \"number\"",
         "column \"age\": kind: must be numeric or categorical (did you mean numeric?)"},
        {"\"kind\": \"numeric\"", "\"kind\": \"?\"",
         "must be numeric or categorical (replace every \"?\")"},
        {"\"lower\": 0", "\"min\": 0",
         "min: unknown member of a numeric column (did you mean lower?)"},
        {"\"role\": \"feature\"", "\"role\": \"Feautre\"", "or ignore (did you mean feature?)"},
        {"\"lower\": 0", "\"lower\": \"0\"", "column \"age\": lower: must be a number"},
        {"\"scale\": 20", "\"scale\": 20, \"step\": 1",
         "column \"age\": step: unknown member of a numeric column"},
        {"\"cuts\": [20, 40.5]", "\"cuts\": [20, 40.5], \"lower\": 0",
         "column \"hours\": lower: unknown member of a column with cuts"},
        {"\"cuts\": [20, 40.5]", "\"cuts\": []", "column \"hours\": cuts: must be an array of 1"},
        {"\"cuts\": [20, 40.5]", "\"cuts\": [20, \"x\"]", "cuts: must be numbers"},
        {"\"cuts\": [20, 40.5]", "\"cuts\": [40, 40]", "cuts: must be in ascending order"},
        {"\"role\": \"ignore\"", "\"role\": \"ignore\", \"kind\": \"numeric\"",
         "column \"note\": kind: unknown member of an ignored column"},
        {"{\"Clerk.\": \"clerk\"}", "[\"Clerk.\"]", "column \"job\": aliases: must be an object"},
        {"{\"Clerk.\": \"clerk\"}", "{\"Clerk.\": 1}", "column \"job\": aliases: must be text"},
    };
    REFUSE_ALL(faults);
}

TEST(columns_that_make_no_sense_are_refused_by_name) {
    static const fault faults[] = {
        {"\"lower\": 0, ", "", "column \"age\": lower and upper are needed"},
        {"\"lower\": 0", "\"lower\": 100", "column \"age\": lower and upper are needed"},
        {"\"scale\": 20", "\"scale\": 0", "column \"age\": scale: must be above 0"},
        {"\"scale\": 20", "\"scale\": -1", "column \"age\": scale: must be above 0"},
        {"\"scale\": 20", "\"scale\": 1e-5", "must be at most 1e6 for x between"},
        {"\"lower\": 0, \"upper\": 1e6", "\"lower\": -1, \"upper\": 1e6",
         "column \"pay\": lower: must be above -1, because log1p is true"},
        {"[\"clerk\", \"smith\"]", "[]", "column \"job\": levels: must be an array of at least"},
        {"[\"clerk\", \"smith\"]", "[\"clerk\", \"clerk\"]", "declared twice"},
        {"[\"clerk\", \"smith\"]", "[\"clerk\", \"Clerk.\"]", "declared twice"},
        {"[\"clerk\", \"smith\"]", "[\"clerk\", \"2.0\", \"2\"]",
         "column \"job\": levels \"2\" and \"2.0\" are the same number"},
        {"[\"clerk\", \"smith\"]", "[\"clerk\", \" smith\"]", "begins or ends with a blank"},
        {"[\"clerk\", \"smith\"]", "[\"clerk\", \"?\"]",
         "is also listed as a marker of missing values"},
        {"[\"clerk\", \"smith\"]", "[\"clerk\", \"(missing)\"]", "cannot be declared"},
        {"[\"clerk\", \"smith\"]", "[\"clerk\", \"\"]", "levels: must be text of 1 to 512"},
        {"{\"Clerk.\": \"clerk\"}", "{\"Clerk.\": \"klerk\"}", "a level that is not declared"},
        {"\"unknown\": \"refuse\"", "\"unknown\": \"drop\"", "unknown: must be \"level\" or"},
        {"\"kind\": \"numeric\", \"cuts\": [27.576], \"levels\": [\"low\", \"high\"]",
         "\"kind\": \"numeric\", \"lower\": 0, \"upper\": 1", "that is numeric needs cuts"},
        {"[\"low\", \"high\"]", "[\"low\"]",
         "levels: there must be one more level than there are cuts"},
        {"[\"low\", \"high\"]", "[\"low\", \"high\"], \"missing\": \"level\"",
         "a class of its own"},
        {"\"role\": \"sensitive\"", "\"role\": \"label\"", "two columns have the role label"},
        {"\"name\": \"pay\"", "\"name\": \"age\"", "columns: \"age\" occurs twice"},
    };
    REFUSE_ALL(faults);
    expect_refused(HEADING "\"origin\": \"public\", \"columns\": [{\"name\": \"a\", \"role\": "
                           "\"ignore\"}]}",
                   "0 features, but there must be from 1");
    expect_refused(HEADING "\"origin\": \"public\", \"columns\": []}", "columns: must be an array");
}

/* A schema of one feature and two sensitive columns with these levels. */
static char *with_groups(const char *first, const char *second) {
    static const char text[] =
        HEADING "\"origin\": \"public\", \"columns\": [{\"name\": \"x\", \"role\": \"feature\", "
                "\"kind\": \"numeric\", \"lower\": 0, \"upper\": 1}, {\"name\": \"a\", \"role\": "
                "\"sensitive\", \"kind\": \"categorical\", \"levels\": FIRST}, {\"name\": \"b\", "
                "\"role\": \"sensitive\", \"kind\": \"categorical\", \"levels\": SECOND}]}";
    char *half = edited(text, "FIRST", first), *out = edited(half, "SECOND", second);
    free(half);
    return out;
}

TEST(the_product_of_the_levels_is_the_number_of_groups) {
    static const char *const orders[][2] = {{"[\"all\"]", "[\"f\", \"m\"]"},
                                            {"[\"f\", \"m\"]", "[\"all\"]"}};
    for (size_t i = 0; i < 2; i++) {
        FREED char *text = with_groups(orders[i][0], orders[i][1]);
        HANDLE(dp2dp_schema) *schema = schema_of(text);
        assert_int_equal(dp2dp_schema_view(schema)->group_count, 2);
    }
    FREED char *one = with_groups("[\"all\"]", "[\"any\"]");
    expect_refused(one, "1 groups");
}

TEST(two_groups_of_one_name_are_refused) {
    FREED char *text = with_groups("[\"a \xC3\x97 b\", \"a\"]", "[\"c\", \"b \xC3\x97 c\"]");
    expect_refused(text, "columns: the group \"a \xC3\x97 b \xC3\x97 c\" occurs twice");
}

TEST(blanks_around_a_marker_are_taken_off) {
    static const char *const expected[] = {"?", "", "N A"};
    char *text = edited(sample_schema, "[\"?\", \"\"]", "[\" ?\\t\", \"  \", \"N A \"]");
    HANDLE(dp2dp_schema) *schema = schema_of(text);
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    assert_int_equal(info->marker_count, 3);
    expect_same_texts(info->markers, expected, 3);
    free(text);
    text = edited(sample_schema, "[\"?\", \"\"]", "[\" smith \"]");
    expect_refused(text, "is also listed as a marker of missing values");
    free(text);
}

TEST(there_are_at_most_1024_markers) {
    for (size_t count = 1024; count <= 1025; count++) {
        char list[16384];
        size_t length = 0;
        for (size_t i = 0; i < count; i++) {
            length += (size_t)snprintf(list + length, sizeof list - length, "%s\"m%zu\"",
                                       i ? ", " : "[", i);
        }
        (void)snprintf(list + length, sizeof list - length, "]");
        FREED char *text = edited(sample_schema, "[\"?\", \"\"]", list);
        if (count > 1024) {
            expect_refused(text, "missing: must be an array of at most 1024 texts");
        } else {
            dp2dp_schema_free(schema_of(text));
        }
    }
}

TEST(versions_are_told_apart) {
    static const fault faults[] = {
        {"\"major\": 1", "\"major\": 2", "version: 2.0 is newer than 1"},
        {"\"major\": 1", "\"major\": 0", "version.major: must be at least 1"},
        {"\"minor\": 0", "\"minor\": -1", "version.minor: must be an integer of at least 0"},
        {"\"minor\": 0", "\"minor\": 0, \"patch\": 0", "version.patch: unknown member"},
        {"{\"major\": 1, \"minor\": 0}", "1", "version: must be an object"},
    };
    REFUSE_ALL(faults);
    FREED char *newer = edited(sample_schema, "\"minor\": 0", "\"minor\": 1");
    FREED char *text = edited(newer, "\"norm\": 2", "\"norm\": 2, \"colour\": \"red\"");
    HANDLE(dp2dp_schema) *schema = schema_of(text);
    assert_true(dp2dp_schema_view(schema)->norm == 2);
}

TEST(a_schema_comes_from_a_name_a_file_or_a_text) {
    dp2dp_schema *schema = NULL;
    dp2dp_error error = {0};
    write_text(sample_schema);
    schema = schema_of(table_path);
    assert_string_equal(dp2dp_schema_view(schema)->name, "sample");
    dp2dp_schema_free(schema);
    write_table("{}", 2);
    assert_fails(dp2dp_schema_load(table_path, &schema, &test_error), DATA, table_path);
    assert_null(schema);
    assert_fails(dp2dp_schema_load("adlt", &schema, &test_error), IO,
                 "neither a built-in schema nor a file: adlt");
    assert_fails(dp2dp_schema_load("./adult", &schema, &test_error), IO, "./adult");
    assert_status(dp2dp_schema_load("", &schema, &error), ARGUMENT);
    assert_status(dp2dp_schema_load(NULL, &schema, &error), ARGUMENT);
    assert_status(dp2dp_schema_load("adult", NULL, &error), ARGUMENT);
    assert_null(dp2dp_schema_view(NULL));
    dp2dp_schema_free(NULL);
}
