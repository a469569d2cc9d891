problem { "LeNet-5", level = 3, id = 4,
          repaired = "gain sqrt(6), signed images: answers to two inputs differed by 8e-3" }
sizes { full = { B = 4096 }, small = { B = 16 } }
init(20)

local function conv(name, cin, cout, x)
  x = relu(nn.conv2d(name, cin, cout, { k = 5, gain = sqrt(6) })(x))
  return max_pool(x, { k = 2 })
end
local function linear(name, inputs, outputs, x)
  return nn.linear(name, inputs, outputs, { gain = sqrt(6) })(x)
end

local x = input("x", f32, { B, 1, 32, 32 })
x = conv("conv1", 1, 6, x)
x = conv("conv2", 6, 16, x)
x = relu(linear("fc1", 400, 120, flatten(x, 1)))
x = relu(linear("fc2", 120, 84, x))
output("logits", linear("fc3", 84, 20, x))
