-- SPDX-License-Identifier: MIT
-- A convolution without bias and the batch norm behind it: lib "conv_bn" { options of the norms }
-- gives conv_bn(conv's name, norm's name, cin, cout, window). The window (k, stride, groups) is
-- padded by half of k.
return function(norm_options)
  return function(conv, bn, cin, cout, window)
    window.pad, window.bias = window.k // 2, false
    local f = nn.conv2d(conv, cin, cout, window)
    local norm = nn.batch_norm(bn, cout, norm_options)
    return function(x) return norm(f(x)) end
  end
end
