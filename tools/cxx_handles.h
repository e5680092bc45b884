/* What cxx_handles.c and cxx_calls.c share: a module whose handles become SPIR-V's opaque types. */
#ifndef TOOLS_CXX_HANDLES_H
#define TOOLS_CXX_HANDLES_H

#include "cxx_passes.h"
#include "cxx_words.h"

struct handle {
    uint32_t type;    /* by the id of a pointer type: the id of the type that it becomes, itself; 0: it stays */
    uint32_t value;   /* by the id of a value: what takes its place; 0: it stays */
    uint32_t param;   /* by the id of a kernel's parameter: the handle that comes in its place; 0: it stays */
    const char *call; /* by the id of a function: what its calls do; NULL: they stay */
    uint32_t storage; /* by the id of a variable: the constant of a pipe storage that it stands for; 0: none */
    bool goes;        /* an address that only loads of handles needed */
};

struct opener {
    struct module m;
    char *message;
    struct handle *handles;             /* by id */
    bool capabilities[64];              /* which were added */
    uint32_t event_type, event_pointer; /* OpTypeDeviceEvent and a generic pointer to it, 0: not there yet */
    uint32_t storage_type;              /* OpTypePipeStorage, 0: not there yet */
    uint32_t zero_float, sampled_image[64], num_sampled; /* pairs: image type, its sampled type */
    bool failed;
};

/* The first failure is the message. Always false. */
bool handles_fail(struct opener *o, const char *what);
/* What is known of an id; of one that is not the module's, nothing, in a place that the next such call takes again. */
struct handle *handles_at(struct opener *o, uint32_t id);
void handles_need(struct opener *o, SpvCapability capability); /* declares it, once */
/* "image_read" in "_ZN2cl8__detail17pumice_image_read..."; it ends after *length. NULL: no name of ours. */
const char *handles_own_name(const char *mangled, size_t *length);
/* What an address in a function leads to: a variable of the module, or a parameter. */
uint32_t handles_root(struct opener *o, uint32_t id);

/* cxx_calls.c: writes what a call of a function of this mangled name is. */
void handles_put_call(struct opener *o, struct words *out, const uint32_t *call, const char *mangled);

#endif
