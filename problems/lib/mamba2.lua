-- SPDX-License-Identifier: MIT
-- What the two Mamba-2 problems share: steps in blocks of BLOCK, and the states between blocks.
local mamba2 = {}

-- (batch, step, head, ...) -> (batch, block, step, head, ...)
function mamba2.blocks(x)
  return reshape(x, { BATCH, T // BLOCK, BLOCK, HEADS, x.shape[4] })
end

-- What is left at step i of step j: exp of the sum of a over j < s <= i, nothing of later steps.
function mamba2.decay(a)
  local total = cumsum(a, { dim = -1 })
  return tril(exp(unsqueeze(total, -1) - unsqueeze(total, -2)))
end

-- The state in front of each block, zero in front of the first, and the one behind the last block.
-- total: the sums of A up to each step of its block; last: those at the blocks' ends.
function mamba2.states(total, last, B, X)
  local added = einsum("bclhn,bhcl,bclhp->bchpn", B, exp(last - total), X)
  local kept = mamba2.decay(pad(squeeze(last, -1), -1, 1, 0))
  return einsum("bhzc,bchpn->bzhpn", kept, pad(added, 1, 1, 0))
end

return mamba2
