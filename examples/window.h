/* A window of the X server's that OpenGL draws to, by GLX (window.c). */
#ifndef EXAMPLES_WINDOW_H
#define EXAMPLES_WINDOW_H

#include <stdbool.h>

struct window {
    void *display, *context;    /* Display * and GLXContext, as CL_GLX_DISPLAY_KHR and CL_GL_CONTEXT_KHR take them */
    unsigned long name, closed; /* the window, and the atom of the message that says it is to be closed */
};

/* Opens a square window, and makes a context of OpenGL 3.2 current to it. False: there is no X server ($DISPLAY), or it
 * has no such OpenGL. */
bool window_open(struct window *window, const char *title, int side);
/* A function of OpenGL's by its name. */
void *window_function(const char *name);
/* Shows what was drawn. False: the user has closed the window, or pressed a key. */
bool window_show(struct window *window);
void window_close(struct window *window);

#endif
