-- The cache is AMD's last level, the Infinity Cache; L2 is 4 MB in each of 8 dies.
gpu {
    "AMD Instinct MI300X", "AMD Instinct MI300X OAM",
    source = "AMD Instinct MI300X Accelerator data sheet",
    bandwidth_gb_s = 5300, memory_gb = 192, cache_mb = 256,
    tflops = {
        fp64 = 81.7, fp64_tensor = 163.4, fp32 = 163.4, tf32 = 653.7, bf16 = 1307.4, fp16 = 1307.4,
        fp8 = 2614.9, int8 = 2614.9,
    },
}
