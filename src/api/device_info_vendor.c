/* Queries of vendors' extensions whose answers are plain facts. Programs ask these without looking for the extension's
 * name first (libraries for SYCL the sub-group sizes, tools the place on the bus), so they are answered although the
 * names are not offered (docs/features.md says why). What belongs to one maker's GPUs is answered on these. */
#include "src/api/queries.h"
#include "src/device/device.h"

#define VENDOR_NVIDIA 0x10deu
#define VENDOR_AMD    0x1002u

/* Newer or older than some systems' headers. */
#define OCL_DEVICE_PCI_BUS_ID_NV    0x4008
#define OCL_DEVICE_PCI_SLOT_ID_NV   0x4009
#define OCL_DEVICE_PCI_DOMAIN_ID_NV 0x400A

/* cl_intel_required_subgroup_size: those that __attribute__((intel_reqd_sub_group_size())) may ask for */
static cl_int out_sub_group_sizes(cl_device_id device, const struct ocl_out *out)
{
    size_t sizes[8], count = 0;
    for (uint32_t size = 1; device->subgroups && size <= CLC_MAX_SUBGROUP_SIZE; size *= 2) {
        if (clc_subgroup_lanes(&device->target, size))
            sizes[count++] = size;
    }
    return ocl_out_bytes(out, sizes, count * sizeof(sizes[0]));
}

static cl_int nvidia_info(const struct vkb_caps *caps, cl_device_info name, const struct ocl_out *out)
{
    switch (name) {
    case CL_DEVICE_WARP_SIZE_NV:
        return OCL_OUT(out, cl_uint, caps->subgroup_size);
    case CL_DEVICE_INTEGRATED_MEMORY_NV:
        return OCL_OUT(out, cl_bool, caps->type == VKB_DEVICE_INTEGRATED);
    case OCL_DEVICE_PCI_BUS_ID_NV:
        return caps->pci_valid ? OCL_OUT(out, cl_uint, caps->pci_bus) : CL_INVALID_VALUE;
    case OCL_DEVICE_PCI_SLOT_ID_NV:
        return caps->pci_valid ? OCL_OUT(out, cl_uint, caps->pci_device << 3 | caps->pci_function) : CL_INVALID_VALUE;
    case OCL_DEVICE_PCI_DOMAIN_ID_NV:
        return caps->pci_valid ? OCL_OUT(out, cl_uint, caps->pci_domain) : CL_INVALID_VALUE;
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_int amd_info(const struct vkb_caps *caps, cl_device_info name, const struct ocl_out *out)
{
    switch (name) {
    case CL_DEVICE_WAVEFRONT_WIDTH_AMD:
        return OCL_OUT(out, cl_uint, caps->subgroup_size);
    case CL_DEVICE_BOARD_NAME_AMD:
        return ocl_out_string(out, caps->name);
    case CL_DEVICE_TOPOLOGY_AMD: {
        cl_device_topology_amd topology = {0};
        if (!caps->pci_valid)
            return CL_INVALID_VALUE;
        topology.pcie.type = CL_DEVICE_TOPOLOGY_TYPE_PCIE_AMD;
        topology.pcie.bus = (cl_char)caps->pci_bus;
        topology.pcie.device = (cl_char)caps->pci_device;
        topology.pcie.function = (cl_char)caps->pci_function;
        return ocl_out_bytes(out, &topology, sizeof(topology));
    }
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int ocl_device_vendor_info(cl_device_id device, cl_device_info name, const struct ocl_out *out)
{
    if (name == CL_DEVICE_SUB_GROUP_SIZES_INTEL)
        return out_sub_group_sizes(device, out);
    if (device->caps->vendor_id == VENDOR_NVIDIA)
        return nvidia_info(device->caps, name, out);
    if (device->caps->vendor_id == VENDOR_AMD)
        return amd_info(device->caps, name, out);
    return CL_INVALID_VALUE;
}
