/* What icd.c hands out by name: entry points that systems' headers lack. */
#ifndef SRC_API_FUNCTIONS_H
#define SRC_API_FUNCTIONS_H

#include "src/object/memory.h"

/* The entry points of extensions by their names; NULL: it is none of them. */
void *ocl_command_buffer_function(const char *name);
void *ocl_cooperative_matrix_function(const char *name);
void *ocl_egl_function(const char *name);           /* cl_khr_egl_image, cl_khr_egl_event */
void *ocl_gl_function(const char *name);            /* cl_khr_gl_sharing, cl_khr_gl_event */
void *ocl_memory_vendor_function(const char *name); /* vendors' names for what memory.c does */
void *ocl_semaphore_function(const char *name);
void *ocl_svm_arm_function(const char *name); /* cl_arm_shared_virtual_memory */
void *ocl_va_function(const char *name);      /* cl_intel_va_api_media_sharing */
void *ocl_unified_svm_function(const char *name);

/* clGetImageRequirementsInfoEXT */
CL_API_ENTRY cl_int CL_API_CALL ocl_get_image_requirements(cl_context context, const cl_mem_properties *properties,
                                                           cl_mem_flags flags, const cl_image_format *image_format,
                                                           const cl_image_desc *image_desc, cl_uint param_name,
                                                           size_t param_value_size, void *param_value,
                                                           size_t *param_value_size_ret);
/* clEnqueueAcquireExternalMemObjectsKHR, clEnqueueReleaseExternalMemObjectsKHR */
CL_API_ENTRY cl_int CL_API_CALL ocl_enqueue_acquire_external(cl_command_queue queue, cl_uint num_mem_objects,
                                                             const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                             const cl_event *event_wait_list, cl_event *event);
CL_API_ENTRY cl_int CL_API_CALL ocl_enqueue_release_external(cl_command_queue queue, cl_uint num_mem_objects,
                                                             const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                             const cl_event *event_wait_list, cl_event *event);

#endif
