/* See overrides.h. PUMICE_EXTENSIONS is words with commas between: +name is listed though it is not offered, -name is
 * not listed though it is. Later words do not change what earlier ones said. */
#include "src/device/overrides.h"

#include "base/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64 }; /* CL_NAME_VERSION_MAX_NAME_SIZE */

static const char identifier[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

const char *ocl_override_text(enum setting setting, const char *fact)
{
    const char *value = setting_text(setting);
    return value ? value : fact;
}

uint32_t ocl_override_subgroup_size(void)
{
    int choice = setting_choice(SETTING_SUB_GROUP_SIZE);
    return choice < 0 ? 0 : 8u << choice;
}

cl_device_type ocl_override_type(cl_device_type fact)
{
    /* in the order of the setting's words */
    static const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ACCELERATOR};
    int place = setting_choice(SETTING_DEVICE_TYPE);
    return place < 0 ? fact : types[place];
}

/* The word at text, without spaces around it; *length without its sign. Returns its sign, or 0 when it is no +name or
 * -name. *next is the start of the next word, or NULL. */
static char read_word(const char *text, const char **name, size_t *length, const char **next)
{
    size_t all = strcspn(text, ",");
    *next = text[all] ? text + all + 1 : NULL;
    for (; all && *text == ' '; all--)
        text++;
    while (all && text[all - 1] == ' ')
        all--;
    *name = text + 1;
    *length = all ? all - 1 : 0;
    bool good = all > 1 && (*text == '+' || *text == '-') && *length < NAME_SIZE;
    return good && strspn(*name, identifier) >= *length ? *text : 0;
}

bool ocl_plays_progress(void)
{
    static const char word[] = "progress=1";
    const char *all = setting_text(SETTING_LIMITS), *at = all ? strstr(all, word) : NULL;
    return at && (at == all || at[-1] == ',') && strchr(",", at[strlen(word)]);
}

bool ocl_extension_is_hidden(const char *wanted)
{
    const char *name, *next;
    size_t length;
    for (const char *at = setting_text(SETTING_EXTENSIONS); at; at = next) {
        char sign = read_word(at, &name, &length, &next);
        if (sign == '-' && strlen(wanted) == length && !memcmp(name, wanted, length))
            return true;
    }
    return false;
}

bool ocl_extension_added(size_t *position, char *out, size_t size)
{
    const char *all = setting_text(SETTING_EXTENSIONS), *name, *next;
    size_t length;
    if (!all || *position > strlen(all))
        return false;
    for (const char *at = all + *position; at; at = next) {
        char sign = read_word(at, &name, &length, &next);
        *position = next ? (size_t)(next - all) : strlen(all) + 1;
        if (sign == '+' && length < size) {
            memcpy(out, name, length);
            out[length] = 0;
            return true;
        }
    }
    return false;
}

static void check(void)
{
    const char *name, *next;
    size_t length;
    for (const char *at = setting_text(SETTING_EXTENSIONS); at && *at; at = next) {
        if (!read_word(at, &name, &length, &next))
            log_warn("PUMICE_EXTENSIONS: '%.*s' is neither +name nor -name", (int)strcspn(at, ","), at);
    }
}

void ocl_extension_overrides_check(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, check);
}
