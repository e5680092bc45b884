/* What no program needs and a bomb would pass. */
#ifndef COMPILER_FRONT_PP_LIMITS_H
#define COMPILER_FRONT_PP_LIMITS_H

enum {
    PP_MAX_INCLUDE_DEPTH = 200,
    PP_MAX_ARGUMENT_DEPTH = 256,   /* calls nested in arguments; each costs C stack */
    PP_MAX_EXPRESSION_DEPTH = 256, /* parentheses and operators in #if */
    PP_MAX_WORK = 1 << 22,         /* tokens expanded or substituted in one compilation */
    PP_MAX_SOURCE = 1u << 30,      /* bytes of one file */
    PP_MAX_TOKEN = 1 << 24,        /* bytes of one token */
    PP_MAX_MADE = 1 << 27,         /* bytes of all tokens that # and ## make */
};

#endif
