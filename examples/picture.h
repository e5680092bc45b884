/* 8-bit RGB pictures in PNG files, through libpng. */
#ifndef EXAMPLES_PICTURE_H
#define EXAMPLES_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

struct picture {
    uint32_t width, height;
    uint8_t *rgb; /* malloc'ed, width * height * 3 bytes */
};

bool picture_read(const char *path, struct picture *picture);
bool picture_write(const char *path, const struct picture *picture);

#endif
