/* What the files of this room share. The functions below are called on the worker's thread, where its context is
 * current, but for those that say otherwise. */
#ifndef SRC_GL_PRIVATE_H
#define SRC_GL_PRIVATE_H

#include "src/gl/constants.h"
#include "src/gl/gl.h"

struct gl_functions {
#define FUNCTION(result, name, parameters) result(*name) parameters;
#undef OPTIONAL /* a macro of Windows' header */
#define OPTIONAL(result, name, parameters) result(*name) parameters;
#define DESKTOP(result, name, parameters)  result(*name) parameters;
#include "src/gl/functions.def"
#undef FUNCTION
#undef OPTIONAL
#undef DESKTOP
};

/* Which of the context's texture units hold a texture that OpenCL has: a bit for each, by target. */
enum { GL_TARGETS = 10, GL_HELD_UNITS = 64 };

/* Kinds of objects: targets of textures, and then what has none. */
enum { GL_KIND_BUFFER = GL_TARGETS, GL_KIND_RENDERBUFFER, GL_KINDS };
enum { GL_FORMATS = 41 };

/* Bytes of memory beside objects' own, through which their contents go packed. Objects for which none is left go through
 * the host's memory, which they have for the time of a command. */
#define GL_SHARED_MOST (UINT64_C(1) << 30)

enum { GL_EXPORTS_BY_EGL = 1, GL_EXPORTS_BY_MESA = 2 };

struct gl_job {
    void (*call)(void *data);
    void *data;
    bool ran, done;
    struct gl_job *next;
};

/* A sync object of the application's that an event waits for. */
struct gl_watch {
    void *theirs;  /* NULL: it is over, or was deleted */
    void *display; /* NULL: of OpenGL; else theirs is a sync object of EGL's */
    void *ours;    /* NULL, or a fence behind it, which outlives it */
    struct vkb_event *event;
    struct gl_watch *next;
};

/* By which texels of EGL's images move (image.c), the best first. A texture or a renderbuffer is made of the image. What
 * is blitted goes by way of a texture of ours, and may have a twin; so does what is drawn, and what shaders sample. */
enum gl_image_way {
    GL_IMAGE_BLITTED,            /* a texture, both blitted */
    GL_IMAGE_RENDERBUFFER,       /* a renderbuffer: glReadPixels(), or blitted; blitted */
    GL_IMAGE_FRAMEBUFFER,        /* a texture: glReadPixels(), glTexSubImage2D() */
    GL_IMAGE_TEXTURE,            /* a texture: glGetTexImage(), glTexSubImage2D() */
    GL_IMAGE_DRAWN,              /* a texture: glReadPixels(), drawn to */
    GL_IMAGE_SAMPLED,            /* a texture: sampled, drawn to */
    GL_IMAGE_DRAWN_RENDERBUFFER, /* a renderbuffer: glReadPixels(), drawn to */
    GL_IMAGE_WAYS                /* none of them is right */
};

struct ocl_gl {
    atomic_uint refs;
    struct ocl_gl_source source;
    const struct gl_binding_functions *binding;
    struct gl_functions f;
    void *context;              /* ours */
    void *surface;              /* what it is current to, or NULL */
    unsigned long drawable;     /* the same of GLX */
    struct gl_close_hook *hook; /* of an X display, or NULL */
    bool is_es;                 /* OpenGL ES: the driver has no other that shares with the application's */
    bool has_sync, has_images;  /* has_images: GL_OES_EGL_image */
    bool has_uuid, has_memory;  /* has_memory: GL_EXT_memory_object_fd, and what is needed beside it */
    uint8_t uuid[16], driver_uuid[16];
    uint32_t num_units;           /* texture units that can hold something; unit 0 is for passing use */
    uint64_t units[GL_TARGETS];   /* by target: bits of those in use */
    uint32_t scratch_framebuffer; /* 0: not made yet */
    uint32_t sample_programs[6];  /* likewise (samples.c) */
    uint32_t copy_programs[5];    /* likewise (copy_shader.c), by the size of texels */
    bool has_timer;               /* OpenGL tells how long commands take */
    uint32_t num_image_units;     /* 0: there are no shaders that compute */
    uint32_t image_units;         /* bits of those in use */
    uint32_t plane_programs[4];   /* likewise (draw.c), by enum gl_fragments */
    uint32_t empty_array;         /* a vertex array without anything */
    uint64_t shared_bytes;        /* of all objects' shared memory; at most GL_SHARED_MOST */
    uint32_t staging;             /* a buffer that texels pass through (transfer.c); 0: not made yet */
    uint64_t staging_bytes;
    struct {
        bool tried;
        uint8_t ways[2];         /* enum gl_image_way: of images of which no texture is made, and of others */
    } image_formats[GL_FORMATS]; /* what trials of EGL's images have shown (image_trial.c) */
    uint32_t exports;            /* GL_EXPORTS_BY_*: how it may give the memory of textures (in_place.c) */
    atomic_schar trials[GL_KINDS][GL_FORMATS][2][OCL_GL_WAYS]; /* enum ocl_gl_verdict (trial.c) */

    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t asked, answered;
    bool ends;
    bool gone; /* the display was closed: there is no context any more */
    struct gl_job *first, **last;
    struct gl_watch *watches;
};

/* ---- the worker's thread (worker.c) ---- */

/* Makes the call on the worker's thread and returns when it has ended. False: the display was closed, and nothing was
 * called. Called on other threads. */
bool gl_call(struct ocl_gl *gl, void (*call)(void *data), void *data);

/* ---- the binding APIs (binding.c) ---- */

/* Makes the worker's context, current to this thread. *why: what is missing. */
cl_int gl_bind(struct ocl_gl *gl, const char **why);
void gl_unbind(struct ocl_gl *gl);
const struct gl_binding_functions *gl_egl(void); /* NULL: there is no EGL */
/* Another context like ours on EGL's display, which shares nothing; NULL: there is none. Which is current is then changed
 * by gl_switch(); with NULL, ours. */
void *gl_make_other(struct ocl_gl *gl);
bool gl_switch(struct ocl_gl *gl, void *other);
void gl_destroy_other(struct ocl_gl *gl, void *other); /* that is not current */
/* The application's context that is current to the calling thread, whichever that is; or NULL. */
void *gl_current(const struct ocl_gl *gl);

/* ---- formats (format.c) ---- */

/* How texels of an OpenGL format are moved, and what they are in OpenCL. */
struct gl_format {
    uint32_t internal;
    cl_channel_order order;
    cl_channel_type type;
    uint32_t transfer, transfer_type; /* of glGetTexImage and its kin */
    uint8_t texel_size;               /* bytes that these move */
};
/* NULL: OpenCL has none for it. sizes: bits of red, green, blue and alpha, of unsized formats. */
const struct gl_format *gl_format_find(uint32_t internal, const int32_t sizes[4]);
/* Colours by their components' kind (GL_FLOAT, GL_UNSIGNED_NORMALIZED ...) and bits; NULL: OpenCL has no such format. */
struct gl_components {
    int32_t sizes[4];
    uint32_t type;
    bool srgb;
};
const struct gl_format *gl_format_of(const struct gl_components *components);
bool gl_format_is_depth(const struct gl_format *format);
uint32_t gl_format_number(const struct gl_format *format); /* below GL_FORMATS */

/* ---- objects ---- */

/* What a framebuffer tells of a renderbuffer's format. */
enum { GL_TOLD = 8 };
struct gl_told {
    int32_t values[GL_TOLD];
};

struct ocl_gl_object {
    atomic_uint refs;
    atomic_int holder; /* enum ocl_gl_holder */
    struct ocl_gl *gl; /* a reference */
    struct ocl_gl_shape shape;
    const struct gl_format *format; /* NULL: a buffer */
    uint32_t binding;               /* the target that the texture is bound to; else 0 */
    uint32_t target_row;            /* of that target in struct ocl_gl's units */
    int32_t base_level;             /* of a mip-mapped image: the texture's level that is its first */
    bool is_view;                   /* of another texture's levels or layers, which are not its first */
    uint32_t unit;                  /* that holds the texture; 0: none does */
    uint32_t vertex_array;          /* that holds the buffer */
    uint64_t offset;                /* bytes: where a buffer texture's part of it begins */
    uint32_t framebuffer;           /* that holds the renderbuffer */
    struct gl_told told;            /* by it at first, unless it is of an image of EGL's */
    uint32_t *planes;               /* OpenGL ES, and views: framebuffers of all layers of all levels; or NULL */
    uint32_t num_planes;
    uint32_t own_texture;                  /* a texture over an image of EGL's, which ends with the object */
    uint32_t own_buffer, own_renderbuffer; /* what was made for the object, and ends with it */
    enum gl_image_way image_way;           /* of an image of EGL's */
    enum ocl_gl_way way;                   /* as it was attached or exported */
    uint32_t memory, shared;               /* what ocl_gl_object_attach() made: a memory object, and a buffer over it */
    uint64_t shared_bytes;
    uint32_t image_unit;            /* OCL_GL_SHADED: that holds the texture */
    uint32_t twin, twin_view, view; /* a texture over the memory, and framebuffers of that and of the object itself */
};

/* A call of the application's that looks for an object. */
struct gl_finding {
    const char *function;
    struct ocl_gl *gl;
    struct ocl_gl_object *object;
    cl_int error;
};

#define GL_FAIL(finding, code, ...) ((finding)->error = ocl_fail(NULL, (finding)->function, (code), __VA_ARGS__))

/* Makes an object of what is wanted, for which the worker makes the call, whose data is the finding. Called on other
 * threads. */
cl_int gl_find(struct gl_finding *finding, void (*call)(void *data), const struct ocl_gl_object *wanted,
               struct ocl_gl_object **result);
/* Such calls: find the texture or renderbuffer of object->shape.name. */
void gl_find_texture(void *data);
void gl_find_renderbuffer(void *data);
/* Puts a buffer into a vertex array: false where there is no such buffer. */
bool gl_hold_buffer(struct ocl_gl_object *object, uint32_t name);
/* The row's number, or GL_TARGETS. A cube map is taken face by face. */
uint32_t gl_find_target(uint32_t target);

void gl_drop_errors(struct ocl_gl *gl);
void gl_detach(struct ocl_gl_object *object); /* what was attached is let go (shared.c) */
/* A memory object, which has taken the descriptor; 0: OpenGL does not take it. */
uint32_t gl_import_memory(struct ocl_gl *gl, const struct ocl_gl_memory *memory);
/* Of an object whose way is OCL_GL_TWIN or OCL_GL_EXPORTED (in_place.c). */
cl_int gl_move_in_place(struct ocl_gl_object *object, bool writes);
/* Makes the unit that holds the texture the active one. */
void gl_select_texture(struct ocl_gl_object *object);
/* Of the selected texture at a level: false where there is no such level. */
bool gl_level_size(struct ocl_gl_object *object, int32_t level, int32_t size[3]);
/* Whether the object is still as large as OpenCL knows it, and of the same format. The texture is selected. */
bool gl_is_as_it_was(struct ocl_gl_object *object);
/* The same of a renderbuffer. No buffer that texels go to is bound. */
bool gl_renderbuffer_is_as_it_was(const struct ocl_gl_object *object);
/* Filters that need no other level, for all formats. The texture is bound to the target. */
void gl_set_nearest(const struct gl_functions *f, uint32_t target);
/* Bytes of a level, packed, as ocl_gl_read() and ocl_gl_write() move them. */
uint64_t gl_level_bytes(const struct ocl_gl_object *object, uint32_t level, int32_t size[3]);

/* ---- images of EGL's (image.c) ---- */

/* The way that is right for all images of the format of which a texture is made, or is not, as trials show: once for each
 * format (image_trial.c). */
enum gl_image_way gl_find_image_way(struct ocl_gl *gl, const struct gl_format *format, bool makes_texture);
/* A texture that is made of the image, complete. OpenGL has an error where there is none. */
uint32_t gl_make_sibling(struct ocl_gl *gl, void *image);
/* A renderbuffer that is made of it, and is bound; 0: there is none. */
uint32_t gl_make_image_renderbuffer(struct ocl_gl *gl, void *image);
/* Of the one that is bound, and attached to the framebuffer that is read; or NULL. */
const struct gl_format *gl_image_renderbuffer_format(const struct gl_functions *f);
/* Texels of a level, face or slice of a texture, or of a renderbuffer, which others write, too. */
struct gl_picture {
    uint32_t target, name;
    int32_t level, layer; /* layer: of a 3D texture */
    const struct gl_format *format;
    int32_t width, height;
};
/* False: nothing was read or written. glGetTexImage() and glTexSubImage2D() are for first levels. */
bool gl_read_picture(struct ocl_gl *gl, enum gl_image_way way, const struct gl_picture *picture, void *data);
bool gl_write_picture(struct ocl_gl *gl, enum gl_image_way way, const struct gl_picture *picture, const void *data);
/* All texels, packed; data as with glReadPixels() and glTexImage2D(). */
cl_int gl_move_image(const struct ocl_gl_object *object, uintptr_t data, bool writes);
/* What a framebuffer has of the format. */
uint32_t gl_attachment(const struct gl_format *format);

/* ---- draws of one triangle that covers everything (draw.c) ---- */

/* What fragments are: components of colours by their kind, or depths. */
enum gl_fragments { GL_FRAGMENTS_FLOATS, GL_FRAGMENTS_INTEGERS, GL_FRAGMENTS_NATURALS, GL_FRAGMENTS_DEPTHS };
enum gl_fragments gl_fragments_of(const struct gl_format *format);
#define GL_SHADER_VERSION(gl) ((gl)->is_es ? "300 es" : "150")
/* A program of these shaders; 0: it is not to be had. */
struct gl_shader {
    uint32_t type;
    const char *text;
};
uint32_t gl_link(const struct gl_functions *f, const struct gl_shader *shaders, uint32_t count);
/* One with that fragment shader, which draws all of what it draws to; 0 likewise. */
uint32_t gl_make_drawing(const struct ocl_gl *gl, const char *fragment);
/* By the program that is in use, into the framebuffer that is drawn to. */
void gl_draw(struct ocl_gl *gl, int32_t width, int32_t height);
/* All texels of a 2D texture, into a framebuffer of the same format. False: there is no program. */
bool gl_draw_plane(struct ocl_gl *gl, const struct gl_picture *plane);

/* ---- copies by a shader (copy_shader.c) ---- */

/* Binds the texture's level to an image unit of its own. False: there is none left. */
bool gl_hold_image(struct ocl_gl_object *object);
void gl_let_image_go(struct ocl_gl_object *object);
/* Whether shaders see the texture's texels as it is now: the application may change that. The texture is selected. */
bool gl_image_shows(struct ocl_gl_object *object);
/* All texels, from the twin or to it. */
void gl_copy_image(struct ocl_gl_object *object, bool writes);

/* ---- OpenGL ES (es.c), which has no glGetTexImage() ---- */

/* Makes object->planes. False: texels of that format cannot be read without any change. */
bool gl_es_hold_texture(struct ocl_gl_object *object);
/* The same for a view of OpenGL's, if framebuffers show it. */
void gl_hold_view(struct ocl_gl_object *object);
bool gl_es_reads_renderbuffer(const struct ocl_gl_object *object); /* likewise */
void gl_es_let_go(struct ocl_gl_object *object);
/* All texels, packed; data as with glReadPixels(). */
void gl_es_read_texture(const struct ocl_gl_object *object, uintptr_t data);
/* Bytes of the buffer that is bound to the target. */
void gl_es_read_buffer(const struct gl_functions *f, uint32_t target, intptr_t offset, intptr_t size, void *data);

/* All samples of a multisampled texture, as OpenCL has them: sample s of layer l is plane l * samples + s (samples.c).
 */
cl_int gl_read_samples(struct ocl_gl_object *object, uintptr_t data);

/* ---- sync (sync.c) ---- */

struct ocl_gl_fence {
    struct ocl_gl *gl; /* a reference */
    void *sync;        /* NULL: it was waited for */
};
void gl_fence_wait_here(struct ocl_gl_fence *fence); /* NULL is fine */
void gl_fence_free(struct ocl_gl_fence *fence);      /* by any thread */

/* Looks which sync objects are signalled. Returns whether some are not yet. */
bool gl_watches_look(struct ocl_gl *gl);
void gl_watches_end(struct ocl_gl *gl);

#endif
