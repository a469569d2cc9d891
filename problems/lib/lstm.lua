-- SPDX-License-Identifier: MIT
-- An LSTM of L layers and a linear layer on its last step: declares the inputs x, h0, c0 and gives
-- y, h_n, c_n. Options: bidirectional, gain (of nn.lstm).
return function(o)
  local directions = o.bidirectional and 2 or 1
  local x = input("x", f32, { B, T, I })
  local h0 = input("h0", f32, { directions * L, B, H }, normal(), spread())
  local c0 = input("c0", f32, { directions * L, B, H }, normal(), spread())
  local lstm = nn.lstm("lstm", I, H, { layers = L, bidirectional = o.bidirectional,
                                       batch_first = true, gain = o.gain, gate_bias = 2 })
  local fc = nn.linear("fc", directions * H, O)
  local y, h_n, c_n = lstm(x, h0, c0)
  return fc(select(y, 1, -1)), h_n, c_n
end
