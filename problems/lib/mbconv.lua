-- SPDX-License-Identifier: MIT
-- EfficientNet's MBConv: expand, a depthwise k x k window, project, and a shortcut where the shape
-- stays. conv_bn is lib "conv_bn"; name ends in a dot or is empty.
return function(conv_bn, name, x, cout, k, stride, expand)
  local function part(label, cin, width, window)
    label = name .. label .. "_conv."
    return conv_bn(label .. 0, label .. 1, cin, width, window)
  end
  local cin, y = x.shape[2], x
  local hidden = cin * expand
  if expand > 1 then y = relu6(part("expand", cin, hidden, { k = 1 })(y)) end
  y = relu6(part("depthwise", hidden, hidden, { k = k, stride = stride, groups = hidden })(y))
  y = part("project", hidden, cout, { k = 1 })(y)
  return stride == 1 and cin == cout and x + y or y
end
