-- A class of tensor cores is asked for, whatever the work: tests/gpu/run.
problem { "ReLU that asks for bf16 tensor cores", level = 1, id = 1 }
sizes { full = { B = 4096, D = 4096 }, small = { B = 64, D = 64 } }
requires { tensor = "bf16" }
output("y", relu(input("x", f32, { B, D })))
