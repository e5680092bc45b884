/* Characters beyond ASCII: UTF-8, which of them a name may have, which are blanks, and how messages show them. */
#include "base/util.h"
#include "compiler/front/pp/lex.h"

uint32_t pp_utf8_encode(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 63));
        out[2] = (char)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 63));
    out[2] = (char)(0x80 | (code >> 6 & 63));
    out[3] = (char)(0x80 | (code & 63));
    return 4;
}

uint32_t pp_utf8_decode(const char *text, const char *end, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t bytes = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
    if (!bytes || (size_t)(end - text) < bytes)
        return 0;
    uint32_t value = bytes == 1 ? p[0] : p[0] & (0x7fu >> bytes);
    for (uint32_t i = 1; i < bytes; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (p[i] & 63);
    }
    if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *code = value;
    return bytes;
}

struct range {
    uint32_t first, last;
};

static bool is_in(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

#define IS_IN(code, ranges) is_in(code, ranges, ARRAY_LENGTH(ranges))

/* C11, annex D.2: marks that combine with the character before. */
static const struct range combining[] = {
    {0x300, 0x36f}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};

/* C99, annex D and 6.4.3, generously: letters and marks from U+00A8 on, without the general punctuation, arrows,
 * symbols and private use that nobody means as part of a name, without what cannot be seen and without the wide twins
 * of ASCII's punctuation. */
bool pp_may_be_in_name(uint32_t code, bool first)
{
    static const struct range ranges[] = {
        {0xa8, 0xa8},       {0xaa, 0xaa},     {0xaf, 0xaf},     {0xb2, 0xb5},       {0xb7, 0xba},
        {0xbc, 0xbe},       {0xc0, 0xd6},     {0xd8, 0xf6},     {0xf8, 0x37d},      {0x37f, 0x386},
        {0x388, 0x167f},    {0x1681, 0x180d}, {0x180f, 0x1fff}, {0x203f, 0x2040},   {0x2054, 0x2054},
        {0x2070, 0x218f},   {0x2460, 0x24ff}, {0x2776, 0x2793}, {0x2c00, 0x2dff},   {0x2e80, 0x2fff},
        {0x3004, 0x3007},   {0x3021, 0x302f}, {0x3031, 0xd7ff}, {0xf900, 0xfd3d},   {0xfd40, 0xfdcf},
        {0xfdf0, 0xfdff},   {0xfe10, 0xfe44}, {0xfe47, 0xfefe}, {0xff10, 0xff19},   {0xff21, 0xff3a},
        {0xff3f, 0xff3f},   {0xff41, 0xff5a}, {0xff66, 0xffdc}, {0x10000, 0x1fffd}, {0x20000, 0x2fffd},
        {0x30000, 0x3fffd},
    };
    return IS_IN(code, ranges) && !(first && IS_IN(code, combining));
}

/* As clang has them: Unicode's White_Space, and the Mongolian vowel separator that once was one. */
bool pp_is_unicode_blank(uint32_t code)
{
    static const struct range ranges[] = {{0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
                                          {0x180e, 0x180e}, {0x2000, 0x200a}, {0x2028, 0x2029},
                                          {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000}};
    return IS_IN(code, ranges);
}

int pp_character_width(uint32_t code)
{
    static const struct range unseen[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x180e, 0x180e},   {0x200b, 0x200f},
                                          {0x2028, 0x202e}, {0x2060, 0x206f}, {0xe000, 0xf8ff},   {0xfeff, 0xfeff},
                                          {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};
    static const struct range wide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},
                                        {0xac00, 0xd7a3}, {0xf900, 0xfaff}, {0xfe30, 0xfe6f},
                                        {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x20000, 0x3fffd}};
    return IS_IN(code, unseen) ? -1 : IS_IN(code, combining) ? 0 : IS_IN(code, wide) ? 2 : 1;
}
