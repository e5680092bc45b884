/* The watch over one input after the other: says the seed of the one that crashes, or takes too much processor time. */
#ifndef TESTS_FUZZ_WATCH_H
#define TESTS_FUZZ_WATCH_H

#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static volatile unsigned long long current_seed;

static void report_seed(int signal_number)
{
    char text[96];
    int n = snprintf(text, sizeof(text), "\nsignal %d at seed %llu\n", signal_number, current_seed);
    if (n > 0 && write(STDERR_FILENO, text, (size_t)n) < 0)
        _exit(3);
    signal(signal_number, SIG_DFL);
    raise(signal_number == SIGPROF || signal_number == SIGALRM ? SIGABRT : signal_number);
}

/* seconds of the process's time from now on; 0: no limit. */
static void limit_time(int seconds)
{
    struct itimerval limit = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &limit, NULL);
}

static void watch_signals(void)
{
    signal(SIGSEGV, report_seed);
    signal(SIGABRT, report_seed);
    signal(SIGPROF, report_seed);
    signal(SIGFPE, report_seed);
    signal(SIGALRM, report_seed);
}

#endif
