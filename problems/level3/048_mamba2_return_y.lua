problem { "Mamba-2 in blocks: every output", level = 3, id = 48,
          repaired = "A is negative, so a decay: with N(0,1) exp of its sums reached 1e13" }
sizes { full = { BATCH = 2048, T = 128, HEADS = 8, WIDTH = 64, STATE = 16, BLOCK = 64 },
        small = { BATCH = 2, T = 32, HEADS = 4, WIDTH = 16, STATE = 16, BLOCK = 16 } }
init(BATCH, T, HEADS, WIDTH, STATE, BLOCK)

local X = input("X", f32, { BATCH, T, HEADS, WIDTH })
local A = param("A", f32, { BATCH, T, HEADS }, uniform(-0.1, 0))
local B = param("B", f32, { BATCH, T, HEADS, STATE }, normal())
local C = param("C", f32, { BATCH, T, HEADS, STATE }, normal())

local mamba2 = lib "mamba2"
X = mamba2.blocks(X)
A = rearrange(A, "b (c l) h -> b h c l", { l = BLOCK })
B, C = mamba2.blocks(B), mamba2.blocks(C)
local total = cumsum(A, { dim = -1 })
local last = slice(total, -1, BLOCK - 1)
local within = einsum("bclhn,bcshn,bhcls,bcshp->bclhp", C, B, mamba2.decay(A), X)
local states = slice(mamba2.states(total, last, B, X), 1, 0, T // BLOCK) -- in front of each block
local across = einsum("bclhn,bchpn,bhcl->bclhp", C, states, exp(total))
output("Y", reshape(within + across, { BATCH, T, HEADS, WIDTH }))
