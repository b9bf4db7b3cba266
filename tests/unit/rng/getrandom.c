/* A kernel call that is interrupted, returns fewer bytes, or fails. This executable defines a
 * getrandom that follows a script. */
#include "support.h"

#include <errno.h>
#include <sys/random.h>

#include "rng/rng.h"

enum {
    LENGTH = 40,
    INTERRUPTED = -EINTR,
    REFUSED = -ENOSYS
};

/* Next answers: a number of bytes, or a negative error code; the last one repeats. */
static const int *script;
static int script_left;

ssize_t getrandom(void *buffer, size_t length, unsigned int flags) {
    assert_int_equal(flags, 0);
    int answer = *script;
    if (script_left > 1) {
        script++;
        script_left--;
    }
    if (answer < 0) {
        errno = -answer;
        return -1;
    }
    size_t given = (size_t)answer < length ? (size_t)answer : length;
    memset(buffer, 0x77, given);
    return (ssize_t)given;
}

static dp2dp_status ask(const int *answers, int count, unsigned char *buffer, dp2dp_error *error) {
    script = answers;
    script_left = count;
    memset(buffer, 0x11, LENGTH + 1);
    return dp2dpi_entropy(buffer, LENGTH, error);
}

TEST(interrupted_and_short_answers_are_resumed) {
    const int answers[] = {INTERRUPTED, 7, INTERRUPTED, INTERRUPTED, 1, 1000};
    unsigned char buffer[LENGTH + 1];
    assert_ok(ask(answers, 6, buffer, NULL));
    for (int i = 0; i < LENGTH; i++) {
        assert_int_equal(buffer[i], 0x77);
    }
    assert_int_equal(buffer[LENGTH], 0x11);
}

TEST(a_refusal_is_reported_and_leaves_zeros) {
    const int scripts[][2] = {{REFUSED, REFUSED}, {7, REFUSED}, {7, 0}};
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts; s++) {
        unsigned char buffer[LENGTH + 1];
        dp2dp_error error;
        assert_status(ask(scripts[s], 2, buffer, &error), ENTROPY);
        assert_int_equal(error.status, DP2DP_STATUS_ENTROPY);
        assert_says(error.message, "getrandom");
        for (int i = 0; i < LENGTH; i++) {
            assert_int_equal(buffer[i], 0);
        }
    }
}
