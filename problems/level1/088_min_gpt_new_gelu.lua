problem { "GELU, tanh approximation, as in minGPT", level = 1, id = 88 }
sizes { full = { B = 8192, N = 8192 }, small = { B = 32, N = 512 } }
init()

local x = input("x", f32, { B, N })
output("y", gelu_tanh(x))
