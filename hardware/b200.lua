-- Tensor figures of the datasheet are with sparsity; these are half of them. Bandwidth and memory
-- are an eighth of a DGX B200's (64 TB/s, 1,440 GB). The size of the cache is not published: the
-- driver's word counts.
gpu {
    "NVIDIA B200",
    source = "NVIDIA Blackwell datasheet, HGX B200; NVIDIA DGX B200 datasheet",
    bandwidth_gb_s = 8000, memory_gb = 180,
    tflops = {
        fp64 = 37, fp64_tensor = 37, fp32 = 75, tf32 = 1100, bf16 = 2250, fp16 = 2250,
        fp8 = 4500, fp4 = 9000, int8 = 4500,
    },
}
gpu {
    "NVIDIA GB200",
    source = "NVIDIA Blackwell datasheet, GB200 NVL72",
    bandwidth_gb_s = 8000, memory_gb = 186,
    tflops = {
        fp64 = 40, fp64_tensor = 40, fp32 = 80, tf32 = 1250, bf16 = 2500, fp16 = 2500,
        fp8 = 5000, fp4 = 10000, int8 = 5000,
    },
}
