/* A model file when memory or disk fails or the process dies: calls return an error, nothing leaks,
 * and the file is the complete old one or the complete new one. */
#include "fault/fault_alloc.h"
#include "fault/fault_disk.h"
#include "folder.h"

#include <sys/wait.h>

#include "unit/model/data.h"

static dp2dp_model *first, *second, *third;
/* Files of a model with names, an exact one, one with a classifier, and one of version 1.0. */
static char *texts[4];

FIXTURE(make_folder) {
    return make_folder_for("model.json");
}

FIXTURE(remove_folder) {
    (void)unlink(file);
    return rmdir(folder); /* fails the test if a temporary file was left behind */
}

FIXTURE(make_models) {
    size_t length;
    (void)fault_include_json(NULL);
    first = sample_model(SAMPLE_NAMED);
    second = sample_model(SAMPLE_EXACT);
    texts[0] = text_of(first, &length);
    texts[1] = text_of(second, &length);
    third = sample_model(SAMPLE_ON_BASE);
    texts[2] = text_of(third, &length);
    texts[3] = dp2dpi_alloc(65536, 1);
    FILE *stream = fopen(goldens_1_0[0], "r");
    if (stream == NULL || fread(texts[3], 1, 65535, stream) == 0) {
        return -1;
    }
    (void)fclose(stream);
    return 0;
}

FIXTURE(free_models) {
    dp2dp_model_free(first);
    dp2dp_model_free(second);
    dp2dp_model_free(third);
    for (int i = 0; i < 4; i++) {
        dp2dp_text_free(texts[i]);
    }
    return fault_outstanding != 0;
}

TEST(writing_survives_every_failed_allocation) {
    for (int i = 0; i < 2; i++) {
        FAIL_EACH_ALLOCATION(i ? 151 : 51) {
            TEXT_FREED char *text = (char *)&text;
            size_t length = 1;
            FAULTY(dp2dp_model_to_json(i ? third : first, &text, &length, &fault_error));
            assert_int_equal(text == NULL, fault_status != OK);
            assert_int_equal(length == 0, fault_status != OK);
        }
    }
}

TEST(reading_survives_every_failed_allocation) {
    for (int i = 0; i < 4; i++) {
        FAIL_EACH_ALLOCATION(51) {
            HANDLE(dp2dp_model) *model = (dp2dp_model *)&model;
            FAULTY(dp2dp_model_from_json(texts[i], strlen(texts[i]), &model, &fault_error));
            assert_int_equal(model == NULL, fault_status != OK);
        }
    }
}

/* The tests above fail every allocation that a text needs; here every third one is enough. */
TEST_IN_FOLDER(files_survive_every_failed_allocation) {
    FAIL_EACH_NTH_ALLOCATION(3, 21) {
        (void)unlink(file);
        FAULTY(dp2dp_model_save(first, file, &fault_error));
        assert_int_equal(access(file, F_OK) == 0, fault_status == OK);
    }
    assert_ok(dp2dp_model_save(first, file, NULL));
    FAIL_EACH_NTH_ALLOCATION(3, 21) {
        HANDLE(dp2dp_model) *model = (dp2dp_model *)&model;
        FAULTY(dp2dp_model_load(file, &model, &fault_error));
        assert_int_equal(model == NULL, fault_status != OK);
    }
}

static int holds(const char *text) {
    char on_disk[16384];
    FILE *stream = fopen(file, "r");
    size_t n = stream ? fread(on_disk, 1, sizeof on_disk, stream) : 0;
    if (stream) {
        (void)fclose(stream);
    }
    return n == strlen(text) && memcmp(on_disk, text, n) == 0;
}

TEST_IN_FOLDER(a_disk_that_fails_leaves_one_model_whole) {
    int *const faults[] = {&writes_left, &fsyncs_left, &renames_left};
    assert_ok(dp2dp_model_save(first, file, NULL));
    for (size_t i = 0; i < 3; i++) {
        dp2dp_error error = {0};
        *faults[i] = 0;
        assert_status(dp2dp_model_save(second, file, &error), IO);
        assert_int_equal(*faults[i], -1);
        assert_says(error.message, file);
        assert_true(holds(texts[0]));
    }
    fsyncs_left =
        1; /* the folder's fsync fails: the new model is in place, but a crash may lose it */
    assert_status(dp2dp_model_save(second, file, NULL), IO);
    assert_true(holds(texts[1]));
}

/* A process that dies before the rename leaves the old model and a temporary file. */
TEST_IN_FOLDER(a_process_that_dies_leaves_the_old_model) {
    int status = -1;
    char command[128];
    assert_ok(dp2dp_model_save(first, file, NULL));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        die_at_rename = 1;
        (void)!dp2dp_model_save(second, file, NULL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(holds(texts[0]));
    assert_ok(dp2dp_model_save(second, file, NULL)); /* the temporary file does no harm */
    assert_true(holds(texts[1]));
    (void)snprintf(command, sizeof command, "rm %s.tmp-??????", file); /* fails if there is none */
    assert_int_equal(system(command), 0);
}

GROUP(make_models, free_models)
