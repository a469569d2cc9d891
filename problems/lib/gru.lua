-- SPDX-License-Identifier: MIT
-- A GRU of L layers: declares the inputs x, h0 and gives y, h_n. Option: bidirectional.
return function(o)
  local directions = o.bidirectional and 2 or 1
  local x = input("x", f32, { T, B, I })
  local h0 = input("h0", f32, { directions * L, B, H }, normal(), spread())
  local gru = nn.gru("gru", I, H, { layers = L, bidirectional = o.bidirectional, gain = 2,
                                    gate_bias = 2 })
  return gru(x, h0)
end
