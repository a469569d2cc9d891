problem { "MLP of sixteen hidden layers", level = 3, id = 3,
          repaired = "gain sqrt(6): PyTorch's init left 6e-7 of the input, the rest was biases" }
sizes { full = { B = 1024, I = 8192, H = 1024, O = 8192 },
        small = { B = 16, I = 128, H = 64, O = 96 } }
local hidden = {}
for i = 1, 16 do hidden[i] = H end
init(I, hidden, O)

local x = input("x", f32, { B, I })
local width = I
for layer = 0, 15 do
  x = relu(nn.linear("network." .. 2 * layer, width, H, { gain = sqrt(6) })(x))
  width = H
end
output("y", nn.linear("network.32", H, O, { gain = sqrt(3) })(x))
