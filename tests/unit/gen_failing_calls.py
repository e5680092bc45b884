#!/usr/bin/env python3
"""Writes a header with a failing twin of every Vulkan function that vk/ calls and that may fail.

    gen_failing_calls.py VK_XML OUTPUT SOURCE...

Which functions these are is read from the sources: device->vk.vkX() and vkX(). What each may answer is the registry's word.
The twins count their calls, and one of them fails when the test says so (failing_calls.c). Creations and destructions are counted
too, so that a test can see what leaks."""
import re
import sys
import xml.etree.ElementTree as ElementTree

ERRORS = ["VK_ERROR_OUT_OF_HOST_MEMORY", "VK_ERROR_OUT_OF_DEVICE_MEMORY", "VK_ERROR_DEVICE_LOST"]
# What a pool owns goes with the pool; what counts as made is known by the name of its destroyer.
UNCOUNTED = {"vkAllocateCommandBuffers", "vkAllocateDescriptorSets"}
DESTROYED_AS = {"vkAllocateMemory": "Memory", "vkCreateComputePipelines": "Pipeline"}


def called_functions(paths):
    in_table, direct = set(), set()
    for path in paths:
        text = open(path, encoding="utf-8").read()
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        in_table |= set(re.findall(r"\bvk\.(vk[A-Z]\w+)", text))
        direct |= set(re.findall(r"(?<![.\w])(vk[A-Z]\w+)\(", text))
    return sorted(in_table), sorted(direct)


def read_registry(path):
    commands, aliases = {}, {}
    for command in ElementTree.parse(path).getroot().iter("command"):
        if command.get("alias"):
            aliases[command.get("name")] = command.get("alias")
        elif command.find("proto") is not None and "vulkan" in command.get("api", "vulkan").split(","):
            commands[command.find("proto/name").text] = command
    for name, alias in aliases.items():
        if alias in commands:
            commands.setdefault(name, commands[alias])
    return commands


def parameters(command):
    found = []
    for param in command.findall("param"):
        if "vulkan" in param.get("api", "vulkan").split(","):
            name = param.find("name").text  # the test has variables of such names
            found.append((re.sub(r"\b%s\b" % name, name + "_", " ".join("".join(param.itertext()).split())), name + "_"))
    return found


def object_of(name):
    if name in UNCOUNTED:
        return None
    if name in DESTROYED_AS:
        return DESTROYED_AS[name]
    match = re.match(r"vk(?:Create|Destroy|Free)(\w+)$", name)
    return match.group(1) if match else None


def twin(name, command, real):
    params = parameters(command)
    kind = object_of(name)
    result = command.find("proto/type").text
    call = "%s(%s)" % (real, ", ".join(p[1] for p in params))
    lines = ["static VKAPI_ATTR %s VKAPI_CALL twin_%s(%s)" % (result, name, ", ".join(p[0] for p in params)), "{"]
    if result == "VkResult":
        lines += ["    VkResult failure;",
                  "    if (call_fails(CALL_%s, &failure))" % name,
                  "        return failure;"]
        if kind and name.startswith(("vkCreate", "vkAllocate")):
            lines += ["    VkResult result = %s;" % call,
                      "    if (result >= VK_SUCCESS)",
                      "        atomic_fetch_add(&call_live[LIVE_%s], 1);" % kind,
                      "    return result;"]
        else:
            lines += ["    return %s;" % call]
    else:
        lines += ["    if (%s)" % params[1][1],
                  "        atomic_fetch_sub(&call_live[LIVE_%s], 1);" % kind,
                  "    %s;" % call]
    return lines + ["}", ""]


def main():
    registry = read_registry(sys.argv[1])
    in_table, direct = called_functions(sys.argv[3:])
    may_fail = lambda name: registry[name].find("proto/type").text == "VkResult"
    destroys = lambda name: name.startswith(("vkDestroy", "vkFree")) and object_of(name) and name != "vkDestroyDevice"
    failing = [n for n in in_table + direct if may_fail(n)]
    kinds = sorted({object_of(n) for n in in_table if object_of(n) and (may_fail(n) or destroys(n))})
    out = ["/* Made by gen_failing_calls.py of vk/'s sources and the registry. */", ""]
    out += ["enum {"] + ["    CALL_%s," % n for n in failing] + ["    NUM_CALLS", "};", ""]
    out += ["enum { NUM_TABLE_CALLS = %d };" % len([n for n in in_table if may_fail(n)]), ""]
    out += ["enum {"] + ["    LIVE_%s," % k for k in kinds + ["Instance", "Device"]] + ["    NUM_LIVE", "};", ""]
    out += ["static const char *const call_names[] = {"] + ['    "%s",' % n for n in failing] + ["};", ""]
    out += ["static const char *const live_names[] = {"] + ['    "%s",' % k for k in kinds + ["Instance", "Device"]] + ["};", ""]
    out += ["/* VkResults that each may answer, of those that are tried; 0 ends them */", "static const VkResult call_errors[][4] = {"]
    for name in failing:
        allowed = (registry[name].get("errorcodes") or "").split(",")
        out.append("    {%s}," % ", ".join([e for e in ERRORS if e in allowed] + ["VK_SUCCESS"]))
    out += ["};", "", "static atomic_int call_live[NUM_LIVE];", "static bool call_fails(int call, VkResult *failure);",
            "static struct VolkDeviceTable real_table;", ""]
    for name in direct:
        if may_fail(name):
            out += ["static PFN_%s real_%s;" % (name, name)]
    out += [""]
    for name in in_table:
        if may_fail(name) or destroys(name):
            out += twin(name, registry[name], "real_table." + name)
    for name in direct:
        if may_fail(name):
            out += twin(name, registry[name], "real_" + name)
    out += ["static inline void install_table(struct VolkDeviceTable *table)", "{", "    real_table = *table;"]
    for name in in_table:
        if may_fail(name) or destroys(name):
            out += ["    if (table->%s)" % name, "        table->%s = twin_%s;" % (name, name)]
    out += ["}", "", "/* Those that are loaded by now, once each. */", "static inline void install_direct(void)", "{"]
    for name in direct:
        if may_fail(name):
            out += ["    if (%s && !real_%s) {" % (name, name), "        real_%s = %s;" % (name, name), "        %s = twin_%s;" % (name, name), "    }"]
    out += ["}", ""]
    open(sys.argv[2], "w", encoding="utf-8").write("\n".join(out))


main()
