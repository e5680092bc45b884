// The one call of SPIRV-Tools' validator, and the one place with C++ in it. The validator allocates by operator new, which
// throws when memory is out: the exception ends here, before it would cross C. SPIRV-Tools is built without exceptions, so
// what it held at that moment is lost to the process; the process goes on.
#include "validate_run.h"

#include <spirv-tools/libspirv.h>

#include <cstdlib>
#include <cstring>

// The runtime's own prints the exception's name, for which it brings a demangler of 50 KB.
namespace __gnu_cxx {
void __verbose_terminate_handler()
{
    abort();
}
} // namespace __gnu_cxx

namespace {

struct objects {
    spv_context context = nullptr;
    spv_validator_options options = nullptr;
    spv_diagnostic diagnostic = nullptr;
};

enum validate_outcome run(const struct validate_request *request, objects &o, char **message)
{
    o.context = spvContextCreate(static_cast<spv_target_env>(request->environment));
    o.options = spvValidatorOptionsCreate();
    if (!o.context || !o.options)
        return VALIDATE_NOT_RUN;
    if (request->scalar_layout)
        spvValidatorOptionsSetScalarBlockLayout(o.options, true);
    spv_const_binary_t binary = {request->words, request->num_words};
    spv_result_t result = spvValidateWithOptions(o.context, o.options, &binary, &o.diagnostic);
    if (result == SPV_SUCCESS)
        return VALIDATE_VALID;
    if (result == SPV_ERROR_OUT_OF_MEMORY || result == SPV_ERROR_INTERNAL)
        return VALIDATE_NOT_RUN;
    *message = strdup(o.diagnostic && o.diagnostic->error ? o.diagnostic->error : "invalid SPIR-V");
    return *message ? VALIDATE_INVALID : VALIDATE_NOT_RUN;
}

} // namespace

extern "C" const char *validate_version(void)
{
    return spvSoftwareVersionString();
}

extern "C" enum validate_outcome validate_run(const struct validate_request *request, char **message)
{
    *message = nullptr;
    try {
        objects o;
        enum validate_outcome outcome = run(request, o, message);
        spvDiagnosticDestroy(o.diagnostic);
        spvValidatorOptionsDestroy(o.options);
        spvContextDestroy(o.context);
        return outcome;
    } catch (...) {
        free(*message);
        *message = nullptr;
        return VALIDATE_NOT_RUN;
    }
}
