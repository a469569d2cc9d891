problem { "Matmul, sigmoid, sum", level = 2, id = 56,
          repaired = "weights are positive, x is not: on U[0,1) and weights of both signs the sum was "
            .. "O / 2 +- 0.1 %, and rounded operands averaged out in it" }
sizes { full = { B = 128, I = 32768, O = 32768 }, small = { B = 64, I = 96, O = 80 } }
init(I, O)

local bound = I ^ -0.5
local x = input("x", f32, { B, I }, normal(), normal(0, 4), heavy { scale = 0.5 },
  needle { scale = 0.3 / bound })
local w = param("linear.weight", f32, { O, I }, uniform(0, 2 * bound))
local b = param("linear.bias", f32, { O }, uniform(-bound, bound))
output("y", sum(sigmoid(linear(x, w, b)), { dim = 1, keep = true }))
