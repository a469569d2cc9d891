-- SPDX-License-Identifier: MIT
-- A Swin net of images x, around stages and mergers of any kind: stage(name, x, depth, heads) keeps
-- the shape of x (B, y, x, channels), merge(name, x) halves the image and doubles the channels.
local DEPTHS, HEADS = { 2, 2, 6, 2 }, { 3, 6, 12, 24 }

return function(x, stage, merge)
  x = nn.conv2d("patch_embed.proj", 3, DIM, { k = 4, stride = 4 })(x)
  x = nn.layer_norm("patch_embed.norm", DIM)(rearrange(x, "b c y x -> b y x c"))
  for i = 1, STAGES do
    local name = "layers." .. i - 1
    x = stage(name, x, DEPTHS[i], HEADS[i])
    if i < STAGES then x = merge(name .. ".downsample", x) end
  end
  local c = x.shape[4]
  x = mean(nn.layer_norm("norm", c)(x), { dim = { 1, 2 } })
  return nn.linear("head", c, CLASSES)(x)
end
