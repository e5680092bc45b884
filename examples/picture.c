/* See picture.h. libpng's simplified interface does the conversions. */
#include "picture.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool picture_read(const char *path, struct picture *picture)
{
    png_image image;
    memset(&image, 0, sizeof(image));
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&image, path)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        return false;
    }
    image.format = PNG_FORMAT_RGB;
    picture->width = image.width;
    picture->height = image.height;
    picture->rgb = malloc(PNG_IMAGE_SIZE(image));
    if (!picture->rgb || !png_image_finish_read(&image, NULL, picture->rgb, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, picture->rgb ? image.message : "out of memory");
        png_image_free(&image);
        free(picture->rgb);
        return false;
    }
    return true;
}

bool picture_write(const char *path, const struct picture *picture)
{
    png_image image;
    memset(&image, 0, sizeof(image));
    image.version = PNG_IMAGE_VERSION;
    image.width = picture->width;
    image.height = picture->height;
    image.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&image, path, 0, picture->rgb, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        return false;
    }
    return true;
}
