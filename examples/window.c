#include "window.h"

#include <GL/glx.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>

/* GLX_ARB_create_context, whose header needs not be there. */
typedef GLXContext (*create_context_fn)(Display *display, GLXFBConfig config, GLXContext share, Bool direct,
                                        const int *attributes);
enum { MAJOR_VERSION = 0x2091, MINOR_VERSION = 0x2092 };

static GLXFBConfig choose_config(Display *display)
{
    static const int wanted[] = {
        GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT, GLX_RED_SIZE, 8, GLX_GREEN_SIZE, 8, GLX_BLUE_SIZE, 8,
        GLX_DOUBLEBUFFER,  True,           None};
    int count = 0;
    GLXFBConfig *all = glXChooseFBConfig(display, DefaultScreen(display), wanted, &count), first;
    if (!all)
        return NULL;
    first = count ? all[0] : NULL;
    XFree(all);
    return first;
}

/* Square and of one size. */
static Window create(Display *display, GLXFBConfig config, const char *title, int side)
{
    XVisualInfo *visual = glXGetVisualFromFBConfig(display, config);
    if (!visual)
        return None;
    Window root = RootWindow(display, visual->screen);
    XSetWindowAttributes attributes = {.event_mask = KeyPressMask,
                                       .colormap = XCreateColormap(display, root, visual->visual, AllocNone)};
    Window name = XCreateWindow(display, root, 0, 0, (unsigned)side, (unsigned)side, 0, visual->depth, InputOutput,
                                visual->visual, CWColormap | CWBorderPixel | CWEventMask, &attributes);
    XSizeHints hints = {
        .flags = PMinSize | PMaxSize, .min_width = side, .min_height = side, .max_width = side, .max_height = side};
    XSetWMNormalHints(display, name, &hints);
    XStoreName(display, name, title);
    XFree(visual);
    return name;
}

bool window_open(struct window *window, const char *title, int side)
{
    static const int version[] = {MAJOR_VERSION, 3, MINOR_VERSION, 2, None};
    XInitThreads(); /* the OpenCL driver uses the connection from a thread of its own */
    Display *display = XOpenDisplay(NULL);
    GLXFBConfig config = display ? choose_config(display) : NULL;
    create_context_fn create_context =
        (create_context_fn)glXGetProcAddressARB((const GLubyte *)"glXCreateContextAttribsARB");
    *window = (struct window){.display = display};
    if (!config || !create_context || !(window->name = create(display, config, title, side)) ||
        !(window->context = create_context(display, config, NULL, True, version)))
        return false;
    window->closed = XInternAtom(display, "WM_DELETE_WINDOW", False);
    XSetWMProtocols(display, window->name, (Atom[]){window->closed}, 1);
    XMapWindow(display, window->name);
    return glXMakeCurrent(display, window->name, window->context);
}

void *window_function(const char *name)
{
    return (void *)glXGetProcAddressARB((const GLubyte *)name);
}

bool window_show(struct window *window)
{
    glXSwapBuffers(window->display, window->name);
    while (XPending(window->display)) {
        XEvent event;
        XNextEvent(window->display, &event);
        if (event.type == KeyPress ||
            (event.type == ClientMessage && (unsigned long)event.xclient.data.l[0] == window->closed))
            return false;
    }
    return true;
}

void window_close(struct window *window)
{
    glXMakeCurrent(window->display, None, NULL);
    glXDestroyContext(window->display, window->context);
    XDestroyWindow(window->display, window->name);
    XCloseDisplay(window->display);
}
