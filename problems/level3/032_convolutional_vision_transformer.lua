problem { "Convolutional vision transformer: one token for all patches", level = 3, id = 32,
          repaired = "class token, norm weights, biases are random: constants could be left out" }
sizes { full = { B = 10, S = 32, PATCH = 4, DIM = 128, DEPTH = 6, HEADS = 4, CLASSES = 1000 },
        small = { B = 4, S = 16, PATCH = 4, DIM = 64, DEPTH = 2, HEADS = 4, CLASSES = 24 } }
-- The other defaults of the published constructor make the full size.
if S == 32 then init(CLASSES, DIM, HEADS) else init(CLASSES, DIM, HEADS, DEPTH, 4.0, PATCH, 3, S) end

local x = input("x", f32, { B, 3, S, S })
local cls = param("cls_token", f32, { 1, 1, DIM }, normal())
local y = nn.conv2d("conv1", 3, DIM, { k = PATCH, stride = PATCH })(x)
y = flatten(y, 1)
local token = unsqueeze(nn.linear("linear_proj", y.shape[2], DIM)(y), 1)
y = concat({ expand(cls, { B, 1, DIM }), token }, { dim = 1 })
for i = 0, DEPTH - 1 do
  y = nn.encoder_layer("transformer_layers." .. i, DIM, HEADS, 4 * DIM, { batch_first = true })(y)
end
output("logits", nn.linear("fc_out", DIM, CLASSES)(select(y, 1, 0)))
