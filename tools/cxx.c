/* `pumice c++`: OpenCL C++ in, SPIR-V for clCreateProgramWithIL out. The OpenCL C++ specification makes it an offline
 * language, so the front end is the system's clang in its C++ for OpenCL mode, followed by llvm-spirv. Pumice gives the
 * library (include/opencl), and completes the module (cxx_passes.h). Both programs are started without a shell. */
#include "cxx.h"
#include "cxx_passes.h"

#include "base/platform.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { EXIT_COMPILED, EXIT_WRONG_SOURCE, EXIT_USAGE, EXIT_NO_CLANG = 77 };
enum { NOT_FOUND = 127 }; /* what a spawned program that does not exist gives */

struct request {
    const char *input, *output, *standard;
    char clang[PATH_MAX], translator[PATH_MAX];
    char headers[PATH_MAX];
    const char **words; /* clang's command; options of the user come last */
    size_t num_words;
    const char *compiled; /* the input, or what was made of it */
    bool missing;         /* a program could not be started */
    bool half, real;      /* half and double are asked for */
    char *definitions;    /* of -D and -U, as lines of source; malloc'ed */
    size_t definitions_size;
    char directory[PATH_MAX], bitcode[PATH_MAX + 16], module[PATH_MAX + 16], expanded[PATH_MAX + 16]; /* temporary */
    char macros[PATH_MAX + 16];                                                                       /* definitions */
};

static const char help[] =
    "usage: pumice c++ FILE -o OUT.spv [OPTIONS]\n"
    "\n"
    "Compiles OpenCL C++ with clang and llvm-spirv to SPIR-V that clCreateProgramWithIL takes.\n"
    "\n"
    "  -o FILE                        the SPIR-V to write\n"
    "  -D, -U, -I, -O0 to -O3, -W..., -g   as clang takes them\n"
    "  -cl-std=c++ | clc++1.0 | clc++2021  the language (default: c++, the headers of OpenCL C++ on clc++2021)\n"
    "  -cl-fp16-enable                half, and cl_khr_fp16\n"
    "  -cl-fp64-enable                double, and cl_khr_fp64\n"
    "  -cl-...                        other options of OpenCL, as clang takes them\n"
    "\n"
    "CLANG and LLVM_SPIRV name the programs where they have other names.\n"
    "Exit code: 0 compiled, 1 the source is wrong, 2 bad usage or file, 77 clang or llvm-spirv is missing.\n";

static bool search_path(const char *name, char *found)
{
    if (strchr(name, '/'))
        return !access(name, X_OK) && snprintf(found, PATH_MAX, "%s", name) < PATH_MAX;
    for (const char *at = getenv("PATH"); at && *at;) {
        size_t length = strcspn(at, ":");
        int size = snprintf(found, PATH_MAX, "%.*s/%s", (int)length, at, name);
        if (length && size < PATH_MAX && !access(found, X_OK))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* The translator must be of clang's version: bitcode of a newer one is not read. So versions are tried as pairs. */
static bool find_programs(struct request *r)
{
    const char *clang = getenv("CLANG"), *translator = getenv("LLVM_SPIRV");
    char name[64];
    for (int version = 15; version <= 22; version++) {
        bool first = true, second = true;
        snprintf(name, sizeof(name), "clang-%d", version);
        first = search_path(clang ? clang : name, r->clang);
        snprintf(name, sizeof(name), "llvm-spirv-%d", version);
        second = search_path(translator ? translator : name, r->translator);
        if (first && second)
            return true;
    }
    if (search_path(clang ? clang : "clang", r->clang) &&
        search_path(translator ? translator : "llvm-spirv", r->translator))
        return true;
    fprintf(stderr, "pumice c++: OpenCL C++ needs clang (15 or newer) and llvm-spirv of the same version. On Debian:\n"
                    "    apt install clang-15 llvm-spirv-15\n"
                    "CLANG and LLVM_SPIRV may name them.\n");
    return false;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* The installed program has its headers next to it; the program of the build tree takes the source's. */
static bool find_headers(struct request *r)
{
    char self[PATH_MAX];
    uint64_t inside;
    char *slash =
        platform_module((const void *)(uintptr_t)find_headers, self, sizeof(self), &inside) ? strrchr(self, '/') : NULL;
    if (slash) {
        *slash = '\0';
        if (snprintf(r->headers, PATH_MAX, "%s/../%s", self, PUMICE_CXX_INSTALLED) < PATH_MAX && is_folder(r->headers))
            return true;
    }
    snprintf(r->headers, PATH_MAX, "%s", PUMICE_CXX_SOURCE);
    if (is_folder(r->headers))
        return true;
    fprintf(stderr, "pumice c++: the headers of OpenCL C++ are neither next to the program nor in %s\n",
            PUMICE_CXX_SOURCE);
    return false;
}

static bool takes_value(const char *argument)
{
    return !strcmp(argument, "-D") || !strcmp(argument, "-U") || !strcmp(argument, "-I") ||
           !strcmp(argument, "-include");
}

static void add(struct request *r, const char *word)
{
    r->words[r->num_words++] = word;
}

static bool add_option(struct request *r, const char *argument)
{
    if (!strncmp(argument, "-cl-std=", 8)) {
        r->standard = !strcasecmp(argument + 8, "c++") ? "-cl-std=clc++2021" : argument;
    } else if (!strcmp(argument, "-cl-fp16-enable")) {
        r->half = true;
    } else if (!strcmp(argument, "-cl-fp64-enable")) {
        r->real = true;
    } else if (!strcmp(argument, "-cl-zero-init-local-mem-vars")) {
        fprintf(stderr, "pumice c++: -cl-zero-init-local-mem-vars: clang cannot initialise local variables\n");
        return false;
    } else if (!strncmp(argument, "--", 2)) {
        fprintf(stderr, "pumice c++: unknown option '%s'\n", argument);
        return false;
    } else {
        add(r, argument);
    }
    return true;
}

/* clang's own header of OpenCL C has parameters called x, p, data and the like, and is read after what -D defines. So
 * macros of the program come in a file that is read later. Names that no program may take for itself are for that
 * header, or for extensions that it looks at, and stay options. */
static bool is_macro_of_program(const char *argument, const char *value)
{
    const char *name = argument[2] ? argument + 2 : value;
    return (!strncmp(argument, "-D", 2) || !strncmp(argument, "-U", 2)) && name && strncmp(name, "__", 2) != 0 &&
           strncmp(name, "cl_", 3) != 0;
}

/* -DNAME defines NAME as 1, -DNAME=VALUE and -DNAME(X)=VALUE as VALUE; a new line ends it, as for clang. */
static void define(FILE *to, const char *argument, const char *value)
{
    const char *text = argument[2] ? argument + 2 : value;
    int length = (int)strcspn(text, "\r\n");
    int name = (int)strcspn(text, "=\r\n");
    if (argument[1] == 'U')
        fprintf(to, "#undef %.*s\n", length, text);
    else if (text[name] == '=')
        fprintf(to, "#define %.*s %.*s\n", name, text, length - name - 1, text + name + 1);
    else
        fprintf(to, "#define %.*s 1\n", name, text);
}

static bool parse_words(struct request *r, int argc, char **argv, FILE *macros)
{
    for (int i = 1; i < argc; i++) {
        bool more = takes_value(argv[i]) && i + 1 < argc;
        if (!strcmp(argv[i], "-o") && i + 1 < argc) {
            r->output = argv[++i];
        } else if (is_macro_of_program(argv[i], argv[i + 1])) {
            define(macros, argv[i], argv[i + 1]);
            i += more;
        } else if (argv[i][0] == '-') {
            if (!add_option(r, argv[i]))
                return false;
            if (more)
                add(r, argv[++i]);
        } else if (r->input) {
            fprintf(stderr, "pumice c++: one file at a time\n");
            return false;
        } else {
            r->input = argv[i];
        }
    }
    return true;
}

static bool parse_arguments(struct request *r, int argc, char **argv)
{
    FILE *macros = open_memstream(&r->definitions, &r->definitions_size);
    if (!macros)
        return false;
    fputs("#line 1 \"<command line>\"\n", macros);
    bool good = parse_words(r, argc, argv, macros);
    if (fclose(macros))
        return false;
    if (good && (!r->input || !r->output))
        fputs(help, stderr);
    return good && r->input && r->output;
}

/* Returns the exit status of the program, or NOT_FOUND. */
static int run_program(const char **words)
{
    pid_t child;
    int status, error = posix_spawn(&child, words[0], NULL, NULL, (char *const *)words, environ);
    if (error) {
        fprintf(stderr, "pumice c++: %s: %s\n", words[0], strerror(error));
        return NOT_FOUND;
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return NOT_FOUND;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_FOUND;
}

/* malloc'ed, and at least four bytes longer than the file. */
static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    struct stat status;
    void *bytes = NULL;
    if (file && !fstat(fileno(file), &status) && (bytes = malloc((size_t)status.st_size + 4)))
        *size = fread(bytes, 1, (size_t)status.st_size, file);
    if (file)
        fclose(file);
    return bytes;
}

static bool write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file))
        good = false;
    if (!good)
        fprintf(stderr, "pumice c++: %s: %s\n", path, strerror(errno));
    return good;
}

/* What clang cannot say, one pass after the other. */
static uint32_t *run_passes(const char *input, const uint32_t *words, size_t *count)
{
    static uint32_t *(*const passes[])(const uint32_t *words, size_t *count, char message[CXX_MESSAGE]) = {
        cxx_unwrap_kernels, cxx_open_handles, cxx_collect_destructors, cxx_complete_module, cxx_set_sizes,
    };
    char message[CXX_MESSAGE] = "";
    uint32_t *current = NULL;
    for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
        uint32_t *next = passes[i](current ? current : words, count, message);
        free(current);
        current = next;
        if (!next)
            break;
    }
    if (*message)
        fprintf(stderr, "%s: error: %s\n", input, message);
    else if (!current)
        fprintf(stderr, "pumice c++: what llvm-spirv wrote cannot be read\n");
    return current;
}

static bool run_clang(struct request *r, const char *const *words, size_t count)
{
    size_t num_words = r->num_words;
    for (size_t i = 0; i < count; i++)
        add(r, words[i]);
    add(r, NULL);
    int status = run_program(r->words);
    r->num_words = num_words;
    r->missing |= status == NOT_FOUND;
    return status == 0;
}

/* Writes the source with attributes that clang knows, and makes it what is compiled; sources without any stay. */
static bool rewrite_attributes(struct request *r)
{
    if (!write_file(r->macros, r->definitions, r->definitions_size))
        return false;
    const char *const expand[] = {"-E", "-frewrite-includes", "-o", r->expanded, r->input};
    char message[CXX_MESSAGE] = "";
    size_t size = 0;
    if (!run_clang(r, expand, 5))
        return false;
    char *text = read_file(r->expanded, &size);
    char *rewritten = text ? cxx_rewrite_attributes(text, size, message) : NULL;
    bool good = !*message;
    if (*message)
        fprintf(stderr, "%s: error: %s\n", r->input, message);
    if (rewritten) {
        good = write_file(r->expanded, rewritten, strlen(rewritten));
        r->compiled = r->expanded;
    }
    free(rewritten);
    free(text);
    return good;
}

static int compile(struct request *r)
{
    const char *translate[] = {r->translator,
                               "--spirv-max-version=1.2",
                               "--spirv-ext=+SPV_INTEL_function_pointers",
                               r->bitcode,
                               "-o",
                               r->module,
                               NULL};
    r->compiled = r->input;
    if (!rewrite_attributes(r))
        return r->missing ? EXIT_USAGE : EXIT_WRONG_SOURCE;
    const char *const compile[] = {"-Xclang",  "-finclude-default-header", "-c", "-emit-llvm", "-o", r->bitcode,
                                   r->compiled};
    if (!run_clang(r, compile, 7))
        return r->missing ? EXIT_USAGE : EXIT_WRONG_SOURCE;
    if (run_program(translate))
        return EXIT_WRONG_SOURCE;
    size_t size = 0, count;
    uint32_t *words = read_file(r->module, &size);
    count = size / 4;
    uint32_t *complete = words ? run_passes(r->input, words, &count) : NULL;
    int code = EXIT_WRONG_SOURCE;
    if (complete)
        code = write_file(r->output, complete, count * 4) ? EXIT_COMPILED : EXIT_USAGE;
    free(complete);
    free(words);
    return code;
}

static bool make_directory(struct request *r)
{
    const char *base = getenv("TMPDIR");
    int size = snprintf(r->directory, PATH_MAX, "%s/pumice-cxx-XXXXXX", base && *base ? base : "/tmp");
    if (size >= PATH_MAX || !mkdtemp(r->directory)) {
        fprintf(stderr, "pumice c++: no temporary folder: %s\n", strerror(errno));
        return false;
    }
    snprintf(r->bitcode, sizeof(r->bitcode), "%s/a.bc", r->directory);
    snprintf(r->module, sizeof(r->module), "%s/a.spv", r->directory);
    snprintf(r->expanded, sizeof(r->expanded), "%s/a.clcpp", r->directory);
    snprintf(r->macros, sizeof(r->macros), "%s/macros", r->directory);
    return true;
}

static void start_command(struct request *r)
{
    static const char *const words[] = {"-x",
                                        "clcpp",
                                        "-target",
                                        "spir64-unknown-unknown",
                                        "-O2",
                                        "-mllvm",
                                        "-inline-threshold=100000", /* handles are followed within a kernel */
                                        "-cl-no-stdinc",
                                        "-Wno-c++11-narrowing", /* float4(i, j, k, l) */
                                        "-Wno-unused-command-line-argument"};
    add(r, r->clang);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        add(r, words[i]);
    add(r, "-isystem");
    add(r, r->headers);
    add(r, "-include");
    add(r, "pumice_begin");
    add(r, "-include");
    add(r, r->macros); /* named and written when there is a folder */
}

/* The headers look at cl_khr_fp16 and cl_khr_fp64, so that clang must not offer what was not asked for. */
static const char *extensions(const struct request *r)
{
    if (r->half && r->real)
        return "-cl-ext=+all";
    if (r->half)
        return "-cl-ext=+all,-cl_khr_fp64,-__opencl_c_fp64";
    return r->real ? "-cl-ext=+all,-cl_khr_fp16" : "-cl-ext=+all,-cl_khr_fp16,-cl_khr_fp64,-__opencl_c_fp64";
}

int cxx_main(int argc, char **argv)
{
    static struct request r; /* large */
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return EXIT_COMPILED;
    }
    r.standard = "-cl-std=clc++2021";
    r.words = calloc((size_t)argc + 64, sizeof(*r.words));
    if (!r.words)
        return EXIT_USAGE;
    int code = EXIT_USAGE;
    start_command(&r);
    if (parse_arguments(&r, argc, argv)) {
        add(&r, r.standard);
        add(&r, "-Xclang");
        add(&r, extensions(&r));
        if (!find_programs(&r))
            code = EXIT_NO_CLANG;
        else if (find_headers(&r) && make_directory(&r)) {
            code = compile(&r);
            unlink(r.bitcode);
            unlink(r.module);
            unlink(r.expanded);
            unlink(r.macros);
            rmdir(r.directory);
        }
    }
    free(r.definitions);
    free(r.words);
    return code;
}
