problem { "Matmul, subtract, multiply, ReLU", level = 2, id = 9,
          repaired = "x is signed and wider: on U[0,1) nothing passed the subtraction, all was 0" }
sizes { full = { B = 1024, I = 8192, O = 8192 }, small = { B = 16, I = 128, O = 96 } }
init(I, O, 2.0, 1.5)

-- The deviation of a product is that of x over sqrt(3); 2 is subtracted, and no row shall be empty.
local x = input("x", f32, { B, I }, spread { scale = 16 }, normal(0, 8), heavy { scale = 4 },
  needle { scale = 4 * sqrt(I) })
local y = nn.linear("linear", I, O)(x)
output("y", relu((y - 2) * 1.5))
