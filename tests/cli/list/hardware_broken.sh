# A table of one's own that is wrong: the file, the line, what to do.
mkdir -p share/hardware
printf 'gpu {\n    "NVIDIA X9",\n    source = "a letter",\n    bandwidth_gb_s = 4.8, tflops = { fp32 = 1 },\n}\n' >share/hardware/x9.lua
ASSAY_SHARE=share "$ASSAY" list --hardware
