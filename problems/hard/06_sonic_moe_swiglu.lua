problem { "Mixture of experts: grouped GEMM with SwiGLU", level = "hard", id = 6, mode = "eval",
          repaired = "nearly all outputs lay below the tolerance, so that fp8 and fp4 passed, experts were always balanced, "
            .. "and the FLOPs lacked the factor TOP: outputs are O(1), checks have empty and crowded experts" }
sizes {
  full = { { TOKENS = 32768, HIDDEN = 4096, I = 1536, E = 128, TOP = 8 },
           { TOKENS = 4096, HIDDEN = 2048, I = 1024, E = 64, TOP = 4 },
           { TOKENS = 16384, HIDDEN = 2048, I = 4096, E = 64, TOP = 8 } },
  medium = { { TOKENS = 224, HIDDEN = 64, I = 48, E = 8, TOP = 2 }, { TOKENS = 120, HIDDEN = 96, I = 32, E = 4, TOP = 4 } },
  small = { { TOKENS = 32, HIDDEN = 64, I = 48, E = 8, TOP = 2 }, { TOKENS = 24, HIDDEN = 96, I = 32, E = 4, TOP = 4 } },
}
init(TOKENS, HIDDEN, I, E, TOP)
-- Rows are in the order of their experts: those of expert e are offsets[e] .. offsets[e + 1].
local ROWS = TOKENS * TOP
local x = input("hidden", bf16, { ROWS, HIDDEN }, normal(), normal(), spread(), heavy { scale = 0.5 }, needle { scale = 8 })
local ends = input("expert_offsets", i32, { E + 1 },
  offsets(ROWS), check_only(offsets(ROWS, 1)), offsets(ROWS), offsets(ROWS), offsets(ROWS))
local gate = param("w_gate", bf16, { E, HIDDEN, I }, normal(0, 1 / sqrt(HIDDEN)))
local up = param("w_up", bf16, { E, HIDDEN, I }, normal(0, 1 / sqrt(HIDDEN)))
state { w_gate = "W_gate", w_up = "W_up" }

local function swiglu(x, gate, up) return silu(grouped_matmul(x, gate, ends)) * grouped_matmul(x, up, ends) end
output("y", swiglu(x, gate, up))

-- One scale for the whole tensor brings the largest number to the format's.
local function fp8(x, largest) return cast(cast(x * (448 / largest), f8e4m3), bf16) * (largest / 448) end
local function fp4(x, largest) -- sixteen even steps, half of them below 0
  return floor(clamp(x / largest, -1, 1) * 7 + 0.5) * (largest / 7)
end
local top = 5 / sqrt(HIDDEN)
null("fp8", swiglu(fp8(x, 8), fp8(gate, top), fp8(up, top)))
null("fp8_weights", swiglu(x, fp8(gate, top), fp8(up, top)))
null("fp4_weights", swiglu(x, fp4(gate, top), fp4(up, top)))
local expert = reshape(iota({ E }, i32), { E, 1, 1 })
null("an_expert_skipped", swiglu(x, where(eq(expert, E // 2), 0, gate), up))
null("every_row_to_the_first", silu(matmul(x, select(gate, 0, 0))) * matmul(x, select(up, 0, 0)))
null("no_silu", grouped_matmul(x, gate, ends) * grouped_matmul(x, up, ends))
