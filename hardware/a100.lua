-- The cache is from "NVIDIA A100 Tensor Core GPU Architecture".
local tflops = {
    fp64 = 9.7, fp64_tensor = 19.5, fp32 = 19.5, tf32 = 156, bf16 = 312, fp16 = 312, int8 = 624,
}

gpu {
    "NVIDIA A100-SXM4-80GB",
    source = "NVIDIA A100 Tensor Core GPU datasheet, A100 80GB SXM",
    bandwidth_gb_s = 2039, memory_gb = 80, cache_mb = 40, tflops = tflops,
}
gpu {
    "NVIDIA A100 80GB PCIe",
    source = "NVIDIA A100 Tensor Core GPU datasheet, A100 80GB PCIe",
    bandwidth_gb_s = 1935, memory_gb = 80, cache_mb = 40, tflops = tflops,
}
gpu {
    "NVIDIA A100-SXM4-40GB", "NVIDIA A100-PCIE-40GB",
    source = "NVIDIA A100 Tensor Core GPU datasheet, A100 40GB",
    bandwidth_gb_s = 1555, memory_gb = 40, cache_mb = 40, tflops = tflops,
}
