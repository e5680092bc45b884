"""python -m pumice_opencl: prints what OCL_ICD_VENDORS should be where programs use ocl-icd."""
from . import library

print(library())
