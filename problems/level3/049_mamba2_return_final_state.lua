problem { "Mamba-2 in blocks: the final state", level = 3, id = 49,
          repaired = "A is negative, so a decay: with N(0,1) exp of its sums reached 1e13",
          algebra = "the published code makes the outputs within blocks, 80 % of it, and drops them" }
sizes { full = { BATCH = 2048, T = 128, HEADS = 8, WIDTH = 64, STATE = 16, BLOCK = 64 },
        small = { BATCH = 2, T = 32, HEADS = 4, WIDTH = 16, STATE = 16, BLOCK = 16 } }
init(BATCH, T, HEADS, WIDTH, STATE, BLOCK)

local X = input("X", f32, { BATCH, T, HEADS, WIDTH })
local A = param("A", f32, { BATCH, T, HEADS }, uniform(-0.1, 0))
local B = param("B", f32, { BATCH, T, HEADS, STATE }, normal())
param("C", f32, { BATCH, T, HEADS, STATE }, normal()) -- only the outputs need it

local mamba2 = lib "mamba2"
X = mamba2.blocks(X)
A = rearrange(A, "b (c l) h -> b h c l", { l = BLOCK })
B = mamba2.blocks(B)
local total = cumsum(A, { dim = -1 })
local last = slice(total, -1, BLOCK - 1)
local states = mamba2.states(total, last, B, X)
output("state", select(states, 1, T // BLOCK))
