problem { "Vision transformer: patches, class token, encoder layers, MLP head", level = 3, id = 28,
          repaired = "batch_first is true: attention over the batch kept the image from the class "
            .. "token; norm weights and biases are random, layers do not start alike",
          foreign = "published candidates attend over the batch: their batch_first is false" }
sizes { full = { B = 2, S = 224, DIM = 512, DEPTH = 6, HIDDEN = 2048, CLASSES = 10 },
        small = { B = 2, S = 64, DIM = 64, DEPTH = 2, HIDDEN = 96, CLASSES = 16 } }

local PATCH, HEADS = 16, 8
init(S, PATCH, CLASSES, DIM, DEPTH, HEADS, HIDDEN, 3, 0.0, 0.0)

local img = input("img", f32, { B, 3, S, S })
local side, width = S // PATCH, 3 * PATCH * PATCH
local n = side * side
local pos = param("pos_embedding", f32, { 1, n + 1, DIM }, normal())
local cls = param("cls_token", f32, { 1, 1, DIM }, normal())

-- The channels of a patch are not brought together: a token is three neighbours of one channel.
local patches = rearrange(img, "b c (y p) (x q) -> b (c y x p q)", { p = PATCH, q = PATCH })
local x = nn.linear("patch_to_embedding", width, DIM)(reshape(patches, { B, n, width }))
x = concat({ expand(cls, { B, 1, DIM }), x }, { dim = 1 }) + pos
for i = 0, DEPTH - 1 do
  x = nn.encoder_layer("transformer.layers." .. i, DIM, HEADS, HIDDEN, { batch_first = true })(x)
end
local h = gelu(nn.linear("mlp_head.0", DIM, HIDDEN)(select(x, 1, 0)))
output("logits", nn.linear("mlp_head.3", HIDDEN, CLASSES)(h))
