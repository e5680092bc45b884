/* What a device's own float functions are worth: measured, never assumed from a vendor's name (probe.c).
 *
 * Needs no OpenCL object, so that `pumice info` can show it for any device. */
#ifndef SRC_PROBE_PROBE_H
#define SRC_PROBE_PROBE_H

#include "compiler/clc.h"
#include "vk/vk.h"

/* What the device does with texels as exactly as OpenCL asks (probe_images.c). */
struct probe_images {
    bool samples_packed, samples_srgb; /* CL_UNORM_SHORT_565 and _555; sRGB */
    bool rounds_texels;                /* to nearest, what kernels write to normalised numbers */
    uint32_t filters;                  /* clc_target.filters */
};

struct probe_report {
    bool done;                                        /* otherwise nothing is native, and why_not says why */
    bool cached;                                      /* read from a file: worst is not known */
    uint8_t native[CLC_PROBE_COUNT][CLC_WIDTH_COUNT]; /* enum clc_native */
    float worst[CLC_PROBE_COUNT][CLC_WIDTH_COUNT];    /* ULP seen; infinite where a special value was wrong; -1: the
                                                         function is not measured at this width */
    bool denorms_kept[CLC_WIDTH_COUNT];
    bool drops_half_rounding; /* takes (float)(half)x for x */
    bool rounds_to_nearest32; /* without the execution mode for it; the other results for floats are without it, then */
    struct probe_images images; /* false, where the device has none */
    uint64_t time;              /* ns that it took */
    char why_not[128];
};

/* Measures, or reads the result that an earlier call left in directory (NULL: nothing is read or written). target
 * describes the device (target_from_caps() without this function's results). Opens the device. Thread-safe. */
void probe_device(struct vkb_device *device, const struct clc_target *target, const char *directory,
                  struct probe_report *report);

/* The result of an earlier call; or that nothing is native, because PUMICE_PROBE=0 says so or the device only compiles.
 * False: nobody knows yet. */
bool probe_device_known(struct vkb_device *device, const char *directory, struct probe_report *report);

/* Copies the results to where lowering looks for them. */
void probe_apply(const struct probe_report *report, struct clc_target *target);

/* Whether sub-groups make progress independently (progress.c), as an earlier call has found it out, or PUMICE_PROBE=0
 * says that nothing is. False: nobody knows yet. */
bool probe_progress_known(struct vkb_device *device, const char *directory, bool *seen);
/* Finds it out, and keeps it in directory (or NULL). Opens the device. Where that fails, nothing was seen. The target
 * has sub-groups. Thread-safe. */
bool probe_progress(struct vkb_device *device, const struct clc_target *target, const char *directory);

/* What was tried of memory with one address for host and device (sharing.c). */
struct probe_sharing {
    bool shares, shadows;  /* vkb_device_shares_addresses(), vkb_device_shadows() */
    bool imports_in_place; /* the host's own pages, on drivers that run on the host */
};
/* What an earlier process has found, or that a device which only compiles shares nothing. False: nobody knows yet. */
bool probe_sharing_known(struct vkb_device *device, const char *directory, struct probe_sharing *sharing);
/* Tries, and keeps the answer in directory (or NULL). False: the device cannot be opened, and nothing is known.
 * Thread-safe. */
bool probe_sharing(struct vkb_device *device, const char *directory, struct probe_sharing *sharing);

/* "sqrt", for tables */
const char *probe_name(enum clc_probe probe);

/* The compiler's view of a device, nothing native: target_caps.c. The strings must live as long as target. */
void target_from_caps(struct clc_target *target, const struct vkb_caps *caps, const char *extensions,
                      const char *features);

/* ---- between probe.c, probe_images.c and probe_rows.c ---- */

void probe_images(struct vkb_device *device, struct vkb_queue *queue, const struct clc_target *target,
                  struct probe_images *report);

/* Rows that decide whether subnormals are kept; and whether a driver drops the rounding to half that it can see. */
enum { PROBE_ARITHMETIC = CLC_PROBE_COUNT, PROBE_TO_HALF, PROBE_TO_HALF_AND_BACK };

struct probe_args {
    double x, y, z;
};

/* One expression of the probe's kernel. */
struct probe_row {
    uint8_t probe;      /* enum clc_probe or PROBE_* */
    uint8_t widths;     /* bit by enum clc_width */
    bool any_sign;      /* of zeros, and of infinities that zeros give */
    const char *source; /* OpenCL C, of T x, y, z */
    double (*right)(const struct probe_args *args, enum clc_width width);
    float bound[CLC_WIDTH_COUNT]; /* ULP, OpenCL C 3.0, 7.4; 0: correctly rounded */
    float (*relaxed)(double x);   /* ULP with unsafe math optimizations (the same); NULL: not decided by the probe */
};

extern const struct probe_row probe_rows[];
extern const uint32_t probe_num_rows;

struct probe_judge {
    enum clc_width width;
    bool flush; /* subnormal operands and results may be zeros: OpenCL C 3.0, 7.5.3 */
};

/* The error in ULP; HUGE_VALF for a wrong special value. *exact: the result is the correctly rounded one. */
float probe_error(const struct probe_judge *judge, const struct probe_row *row, const struct probe_args *args,
                  double got, bool *exact);

/* The i-th arguments, the same in every run: first all pairs of special values, then random ones of many kinds. All are
 * numbers of the width. */
void probe_sample(enum clc_width width, uint32_t i, struct probe_args *args);

#endif
