/* Runs a fuzz target over saved inputs without libFuzzer: corpus_<name> DIRECTORY. An empty corpus
 * is a failure, so that the test cannot pass by finding nothing to do. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A buffer of exactly `size` bytes, so that a sanitizer sees the first byte read past the end. */
static int run_file(const char *path) {
    int ok = 0;
    uint8_t *data = NULL;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        goto done;
    }
    long size = ftell(file);
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0) {
        goto done;
    }
    data = malloc(size > 0 ? (size_t)size : 1);
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        goto done;
    }
    LLVMFuzzerTestOneInput(data, (size_t)size);
    ok = 1;
done:
    if (!ok) {
        fprintf(stderr, "cannot read %s\n", path);
    }
    free(data);
    if (file != NULL) {
        fclose(file);
    }
    return ok;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    DIR *directory = opendir(argv[1]);
    if (directory == NULL) {
        fprintf(stderr, "no corpus at %s\n", argv[1]);
        return 1;
    }
    int run = 0;
    int failed = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char path[4096];
        if (entry->d_name[0] == '.') {
            continue;
        }
        int length = snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path || !run_file(path)) {
            failed++;
        }
        run++;
    }
    closedir(directory);
    printf("%d inputs, %d unreadable\n", run, failed);
    return run > 0 && failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
