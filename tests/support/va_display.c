/* What libva-drm and its kin do for displays of real hardware: a display that names its driver. */
#include "va_display.h"

#include <va/va_backend.h>

#include <stdlib.h>
#include <string.h>

static int is_valid(VADisplayContextP display)
{
    return display->pDriverContext != NULL;
}

static void destroy(VADisplayContextP display)
{
    free(display->pDriverContext);
    free(display);
}

static VAStatus name_driver(VADisplayContextP display, char **name)
{
    (void)display;
    *name = strdup("pumice");
    return *name ? VA_STATUS_SUCCESS : VA_STATUS_ERROR_ALLOCATION_FAILED;
}

static VAStatus count_drivers(VADisplayContextP display, int *count)
{
    (void)display;
    *count = 1;
    return VA_STATUS_SUCCESS;
}

static VAStatus name_by_index(VADisplayContextP display, char **name, int index)
{
    (void)index;
    return name_driver(display, name);
}

VADisplay test_va_open(void)
{
    int major, minor;
    VADisplayContextP display = calloc(1, sizeof(*display));
    VADriverContextP driver = calloc(1, sizeof(*driver));
    if (!display || !driver)
        abort();
    display->vadpy_magic = VA_DISPLAY_MAGIC;
    display->pDriverContext = driver;
    display->vaIsValid = is_valid;
    display->vaDestroy = destroy;
    display->vaGetDriverName = name_driver;
    display->vaGetNumCandidates = count_drivers;
    display->vaGetDriverNameByIndex = name_by_index;
    driver->display_type = VA_DISPLAY_DRM;
    driver->pDisplayContext = display;
    if (vaInitialize(display, &major, &minor) == VA_STATUS_SUCCESS)
        return display;
    vaTerminate(display);
    return NULL;
}

void test_va_close(VADisplay display)
{
    vaTerminate(display);
}
