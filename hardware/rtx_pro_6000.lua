-- The datasheets state fp32 and, as "AI TOPS" or "FP4 AI", fp4 with sparsity. The rest follows from
-- the ratios of "NVIDIA RTX Blackwell GPU Architecture": fp4 dense is half of it, fp8 and int8 half
-- of that, 16-bit floats half again, tf32 half again; fp64 is 1/64 of fp32 and has no tensor units.
local function tflops(fp32, fp4_sparse)
    return {
        fp64 = fp32 / 64, fp32 = fp32, tf32 = fp4_sparse / 16, bf16 = fp4_sparse / 8,
        fp16 = fp4_sparse / 8, fp8 = fp4_sparse / 4, fp4 = fp4_sparse / 2, int8 = fp4_sparse / 4,
    }
end

gpu {
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition",
    source = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition datasheet",
    bandwidth_gb_s = 1792, memory_gb = 96, cache_mb = 128, tflops = tflops(125, 4000),
}
gpu {
    "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
    source = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition datasheet",
    bandwidth_gb_s = 1792, memory_gb = 96, cache_mb = 128, tflops = tflops(110, 3511),
}
gpu {
    "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    source = "NVIDIA RTX PRO 6000 Blackwell Server Edition datasheet",
    bandwidth_gb_s = 1597, memory_gb = 96, cache_mb = 128, tflops = tflops(120, 4000),
}
