/* The OpenGL that `pumice info` (info.h) finds by EGL. */
#ifndef TOOLS_INFO_GL_H
#define TOOLS_INFO_GL_H

#include "vk/vk.h"

#include <sys/types.h>

struct gl_answer {
    pid_t child; /* -1: there is none */
    int pipe;
    bool heard;
    char text[512]; /* once it was heard: OpenGL's name, or why there is none */
    bool found, takes_memory;
    uint8_t device_uuid[16], driver_uuid[16];
};

/* Has a process of its own look, so that a driver that crashes or hangs is not ours. Called before there are threads. */
void info_gl_ask(struct gl_answer *answer);
/* A line on the ways that contents go between that OpenGL and the device; waits a few seconds at most. */
void info_gl_print(struct gl_answer *answer, const struct vkb_caps *caps);
void info_gl_end(struct gl_answer *answer);

#endif
