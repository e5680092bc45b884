// Pumice, an OpenCL driver on Vulkan, for programs in Node. What calls OpenCL is another package, through the system's loader; this makes the
// driver the only one of the process and of those that it starts, if it comes before their first call:
//
//     require('pumice-opencl').use()
'use strict'
const path = require('path')

exports.library = path.join(__dirname, 'libpumice.so.1')

exports.use = () => {
  process.env.OCL_ICD_VENDORS = exports.library // ocl-icd takes a library here, and Khronos' loader folders alone
  process.env.OCL_ICD_FILENAMES = exports.library // Khronos' loader
}
