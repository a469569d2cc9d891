problem { "Mamba-2 in blocks: every output", level = 3, id = 48,
          repaired = "A is negative, so a decay: with N(0,1) exp of its sums reached 1e13" }
sizes { full = { BATCH = 2048, T = 128, HEADS = 8, WIDTH = 64, STATE = 16, BLOCK = 64 },
        small = { BATCH = 2, T = 32, HEADS = 4, WIDTH = 16, STATE = 16, BLOCK = 16 } }

local X = input("X", f32, { BATCH, T, HEADS, WIDTH })
local A = param("A", f32, { BATCH, T, HEADS }, uniform(-0.1, 0))
local B = param("B", f32, { BATCH, T, HEADS, STATE }, normal())
local C = param("C", f32, { BATCH, T, HEADS, STATE }, normal())

local n = T // BLOCK
X = reshape(X, { BATCH, n, BLOCK, HEADS, WIDTH })
A = rearrange(A, "b (c l) h -> b h c l", { l = BLOCK })
B, C = reshape(B, { BATCH, n, BLOCK, HEADS, STATE }), reshape(C, { BATCH, n, BLOCK, HEADS, STATE })

-- What is left at step i of step j: exp of the sum of a over j < s <= i, nothing of later steps.
local function decay(a)
  local total = cumsum(a, { dim = -1 })
  return tril(exp(unsqueeze(total, -1) - unsqueeze(total, -2)))
end

local total = cumsum(A, { dim = -1 })
local last = slice(total, -1, BLOCK - 1)
local within = einsum("bclhn,bcshn,bhcls,bcshp->bclhp", C, B, decay(A), X)
local states = einsum("bclhn,bhcl,bclhp->bchpn", B, exp(last - total), X)
-- The state in front of each block: zero in front of the first.
states = einsum("bhzc,bchpn->bzhpn", decay(pad(squeeze(last, -1), -1, 1, 0)), pad(states, 1, 1, 0))
states = slice(states, 1, 0, n)
local across = einsum("bclhn,bchpn,bhcl->bclhp", C, states, exp(total))
output("Y", reshape(within + across, { BATCH, T, HEADS, WIDTH }))
