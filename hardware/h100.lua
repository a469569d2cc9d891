-- Tensor figures of the datasheet are with sparsity; these are half of them. The cache is from
-- "NVIDIA H100 Tensor Core GPU Architecture".
gpu {
    "NVIDIA H100 80GB HBM3",
    source = "NVIDIA H100 Tensor Core GPU datasheet, H100 SXM",
    bandwidth_gb_s = 3350, memory_gb = 80, cache_mb = 50,
    tflops = {
        fp64 = 34, fp64_tensor = 67, fp32 = 67, tf32 = 494.5, bf16 = 989.5, fp16 = 989.5,
        fp8 = 1979, int8 = 1979,
    },
}
gpu {
    "NVIDIA H100 PCIe",
    source = "NVIDIA H100 Tensor Core GPU datasheet, H100 PCIe",
    bandwidth_gb_s = 2039, memory_gb = 80, cache_mb = 50,
    tflops = {
        fp64 = 26, fp64_tensor = 51, fp32 = 51, tf32 = 378, bf16 = 756.5, fp16 = 756.5,
        fp8 = 1513, int8 = 1513,
    },
}
