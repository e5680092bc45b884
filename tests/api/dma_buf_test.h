/* dma_bufs of the host's memory, and the numbers of cl_pumice_dma_buf_layout. */
#ifndef TESTS_API_DMA_BUF_TEST_H
#define TESTS_API_DMA_BUF_TEST_H

#include "api_test.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The planes' numbers are added. */
#define MEM_DMA_BUF_MODIFIER 0x50756D40
#define MEM_DMA_BUF_OFFSET   0x50756D44
#define MEM_DMA_BUF_PITCH    0x50756D48
#define MEM_DMA_BUF_FD       0x50756D4C

/* From /dev/udmabuf, else, for drivers that run on the host and take whatever can be mapped, the memfd itself. */
static inline int make_dma_buf(size_t size, bool any, char **map)
{
    struct {
        uint32_t memfd, flags;
        uint64_t offset, size;
    } create = {.flags = 1};
    int memfd = memfd_create("pumice", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    size_t whole = (size + 65535) & ~(size_t)65535;
    NEED(memfd >= 0 && ftruncate(memfd, (off_t)whole) == 0 && fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    *map = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    NEED(*map != MAP_FAILED);
    int maker = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
    create.memfd = (uint32_t)memfd;
    create.size = whole;
    int fd = maker >= 0 ? ioctl(maker, _IOW('u', 0x42, char[24]), &create) : -1;
    if (maker >= 0)
        close(maker);
    if (fd < 0 && any)
        return memfd;
    close(memfd);
    return fd;
}

#endif
