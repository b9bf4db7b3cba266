#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attacked/attacked.h"

static const double miss_of_all = 0.01; /* the probability that any number of the table is wrong */

dp2dp_error test_error;

/* In a pair, the person who is replaced has another class, another group, both, or the opposite
 * row. The last two numbers of a published row are its group_least and its runs. */
#define PUBLISHED(epsilon, pair, records, group, batch, steps, least, runs)                       \
    {                                                                                             \
        "sgd-as-published", attack_published, epsilon, records, group, batch, steps, least, pair, \
            runs                                                                                  \
    }
#define OURS(name, epsilon, pair, records, batch, steps, runs) \
    { #name, attack_##name, epsilon, records, 0, batch, steps, 0, pair, runs }

static const target targets[] = {
    PUBLISHED(0.46, "group", 2000, 1000, 128, 100, 400, 120000),
    PUBLISHED(1, "group", 2000, 1000, 128, 100, 400, 40000),
    PUBLISHED(0.5, "group", 1000, 500, 32, 4, 500, 200000),
    PUBLISHED(1, "group", 1000, 500, 32, 4, 500, 200000),
    PUBLISHED(0.5, "class", 1000, 250, 32, 4, 250, 200000),
    PUBLISHED(1, "class", 1000, 250, 32, 4, 250, 200000),
    PUBLISHED(0.5, "class", 1000, 100, 32, 4, 100, 200000),
    PUBLISHED(1, "class", 1000, 100, 32, 4, 100, 200000),
    PUBLISHED(0.5, "class", 1000, 25, 32, 4, 25, 200000),
    PUBLISHED(1, "class", 1000, 25, 32, 4, 25, 200000),
    PUBLISHED(1, "class", 1000, 25, 8, 4, 25, 200000),
    PUBLISHED(1, "class", 1000, 25, 128, 4, 25, 100000),
    OURS(counts, 0.5, "group and class", 20, 0, 4, 400000),
    OURS(counts, 1, "group and class", 20, 0, 4, 400000),
    OURS(sgd, 0.5, "group", 20, 8, 4, 400000),
    OURS(sgd, 1, "group", 20, 8, 4, 400000),
    OURS(dpgd, 0.5, "row", 20, 0, 4, 400000),
    OURS(dpgd, 1, "row", 20, 0, 4, 400000),
    OURS(dpsgd, 0.5, "row", 20, 8, 4, 400000),
    OURS(dpsgd, 1, "row", 20, 8, 4, 400000),
    OURS(output, 0.5, "row", 20000, 0, 1, 400000),
    OURS(output, 1, "row", 20000, 0, 1, 400000),
    OURS(certificate, 0.5, "group and class", 20, 0, 1, 30000),
    OURS(certificate, 1, "group and class", 20, 0, 1, 30000),
};

enum {
    TARGETS = sizeof targets / sizeof *targets
};

typedef struct arguments {
    const char *method; /* only this method; NULL: all */
    int fast, workers;
    uint64_t seed;
    double noise;
} arguments;

static void usage(FILE *to) {
    fputs("usage: attacked [--fast] [--method NAME] [--seed N] [--workers N] [--halve-noise]\n"
          "Attacks every method on its worst pair of data sets and prints a table as CSV.\n"
          "  --fast         a fortieth of the runs; leaves out the largest settings\n"
          "  --method NAME  only the rows of this method, as in the first column\n"
          "  --seed N       seed of the first row; each row has its own (default 1)\n"
          "  --workers N    processes (default 2); the table does not depend on it\n"
          "  --halve-noise  planted fault: our methods draw half of the noise they charge for,\n"
          "                 and the table must show it\n",
          to);
}

static uint64_t number_of(const char *text) {
    char *end = NULL;
    unsigned long long number = text ? strtoull(text, &end, 10) : 0;
    if (text == NULL || *text < '0' || *text > '9' || *end) {
        usage(stderr);
        exit(2);
    }
    return number;
}

static arguments parse(int argc, char **argv) {
    arguments a = {.workers = 2, .seed = 1, .noise = 1};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(name, "--fast") == 0) {
            a.fast = 1;
        } else if (strcmp(name, "--halve-noise") == 0) {
            a.noise = 0.5;
        } else if (strcmp(name, "--method") == 0 && value) {
            a.method = argv[++i];
        } else if (strcmp(name, "--seed") == 0) {
            a.seed = number_of(argv[++i]);
        } else if (strcmp(name, "--workers") == 0) {
            a.workers = (int)number_of(argv[++i]);
        } else {
            usage(strcmp(name, "--help") ? stderr : stdout);
            exit(strcmp(name, "--help") ? 2 : 0);
        }
    }
    return a;
}

/* A fast table leaves out the rows whose single fits are long. */
static int is_wanted(const arguments *a, const target *t) {
    return !(a->fast && t->batch * t->steps > 1000) &&
           (a->method == NULL || strcmp(a->method, t->method) == 0);
}

static int looks_of(const arguments *a) {
    int looks = 0;
    for (size_t i = 0; i < TARGETS; i++) {
        looks += is_wanted(a, &targets[i]) ? LOOKS : 0;
    }
    return looks;
}

static job job_of(const arguments *a, size_t i) {
    int runs = a->fast ? targets[i].runs / 40 : targets[i].runs;
    return (job) {.runs = runs < 3000 ? 3000 : runs,
                  .seed = a->seed + i,
                  .noise = a->noise,
                  .miss = miss_of_all / (2 * looks_of(a))};
}

/* What the processes share. */
typedef struct board {
    size_t next;
    found rows[TARGETS];
} board;

static void work(const arguments *a, board *b) {
    for (size_t i; (i = __atomic_fetch_add(&b->next, 1, __ATOMIC_SEQ_CST)) < TARGETS;) {
        if (is_wanted(a, &targets[i])) {
            job j = job_of(a, i);
            b->rows[i] = targets[i].attack(&targets[i], &j);
        }
    }
}

/* Returns 1 if every process did its work. Processes, not threads: a setting has static data. */
static int work_in_processes(const arguments *a, board *b) {
    int failed = 0, status;
    for (int i = 0; i < a->workers; i++) {
        pid_t child = fork();
        if (child == 0) {
            work(a, b);
            exit(0);
        }
        failed |= child < 0;
    }
    while (wait(&status) > 0) {
        failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    return a->workers > 0 && !failed;
}

/* A number that is not known is an empty field. */
static void print_number(double x) {
    if (isnan(x)) {
        printf(",");
    } else {
        printf(",%.6f", x);
    }
}

static void print_row(const arguments *a, size_t i, const found *row) {
    const target *t = &targets[i];
    job j = job_of(a, i);
    printf("%s,%s,%zu,%zu,%zu,%zu,%zu", t->method, t->pair, t->records, t->group, t->batch,
           t->steps, t->group_least);
    print_number(row->claimed);
    print_number(row->sound);
    print_number(row->attacked_any);
    print_number(row->attacked_form);
    print_number(row->sigma_counts > 0 ? row->sigma_counts : NAN);
    print_number(row->sigma_sums > 0 ? row->sigma_sums : NAN);
    printf(",%g,%g,%d,%d,%llu\n", attack_delta, 1 - miss_of_all, j.runs, looks_of(a),
           (unsigned long long)j.seed);
}

int main(int argc, char **argv) {
    arguments a = parse(argc, argv);
    board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED || !work_in_processes(&a, b)) {
        fputs("attacked: a process failed\n", stderr);
        return 1;
    }
    printf("method,pair,records,group,batch,steps,group_least,claimed,sound,attacked_any,"
           "attacked_form,sigma_counts,sigma_sums,delta,confidence,runs,looks,seed\n");
    for (size_t i = 0; i < TARGETS; i++) {
        if (is_wanted(&a, &targets[i])) {
            print_row(&a, i, &b->rows[i]);
        }
    }
    return 0;
}
