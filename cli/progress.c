#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "interrupt.h"

cli_progress cli_progress_begin(void) {
    cli_interrupt_hold();
    return (cli_progress) {.watched = isatty(STDERR_FILENO)};
}

int cli_progress_step(void *context, uint64_t step, uint64_t total) {
    const cli_progress *progress = context;
    if (progress->watched && (step == total || step % (total / 100 + 1) == 0)) {
        fprintf(stderr, "\rstep %" PRIu64 " of %" PRIu64, step, total);
    }
    return cli_interrupted();
}

void cli_progress_end(const cli_progress *progress) {
    cli_interrupt_release();
    if (progress->watched) {
        fputs("\r\033[K", stderr);
    }
}
