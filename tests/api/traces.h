/* What a trace of PUMICE_TRACE has, which is a file with an event in each line. For tests with api_test.h. */
#ifndef TESTS_API_TRACES_H
#define TESTS_API_TRACES_H

#include "api_test.h"

/* How often a pipeline of that name was made. */
static int count_pipelines(const char *trace, const char *name)
{
    char line[4096], wanted[64];
    int count = 0;
    FILE *file = fopen(trace, "r");
    NEED(file);
    snprintf(wanted, sizeof(wanted), "\"name\":\"%s\"", name);
    while (fgets(line, sizeof(line), file))
        count += strstr(line, "\"cat\":\"pipeline\"") && strstr(line, wanted);
    fclose(file);
    return count;
}

#endif
