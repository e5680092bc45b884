/* Puts a structure of Vulkan into a chain, behind its head. */
#ifndef VK_CHAIN_H
#define VK_CHAIN_H

#define CHAIN(head, member, type)                                                                                      \
    do {                                                                                                               \
        (member).sType = (type);                                                                                       \
        (member).pNext = (head)->pNext;                                                                                \
        (head)->pNext = &(member);                                                                                     \
    } while (0)

#endif
