-- Tensor figures of the datasheet are with sparsity; these are half of them.
-- The cache is what the driver reports.
gpu {
    "NVIDIA H200",
    source = "NVIDIA H200 Tensor Core GPU datasheet, H200 SXM",
    bandwidth_gb_s = 4800, memory_gb = 141, cache_mb = 60,
    tflops = {
        fp64 = 34, fp64_tensor = 67, fp32 = 67, tf32 = 494.5, bf16 = 989.5, fp16 = 989.5,
        fp8 = 1979, int8 = 1979,
    },
}
gpu {
    "NVIDIA H200 NVL",
    source = "NVIDIA H200 Tensor Core GPU datasheet, H200 NVL",
    bandwidth_gb_s = 4800, memory_gb = 141, cache_mb = 60,
    tflops = {
        fp64 = 30, fp64_tensor = 60, fp32 = 60, tf32 = 417.5, bf16 = 835.5, fp16 = 835.5,
        fp8 = 1670.5, int8 = 1670.5,
    },
}
