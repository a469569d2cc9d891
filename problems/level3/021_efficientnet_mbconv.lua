problem { "EfficientNet's MBConv: expand, depthwise 5 x 5, project", level = 3, id = 21 }
sizes { full = { B = 10, I = 112, O = 192, S = 224 }, small = { B = 2, I = 16, O = 24, S = 32 } }

local function conv_bn(name, cin, cout, window)
  window.bias = false
  local conv = nn.conv2d(name .. ".0", cin, cout, window)
  local norm = nn.batch_norm(name .. ".1", cout)
  return function(x) return norm(conv(x)) end
end

local hidden = 6 * I
local x = input("x", f32, { B, I, S, S })
x = relu6(conv_bn("expand_conv", I, hidden, { k = 1 })(x))
x = relu6(conv_bn("depthwise_conv", hidden, hidden,
                  { k = 5, stride = 2, pad = 2, groups = hidden })(x))
output("y", conv_bn("project_conv", hidden, O, { k = 1 })(x))
