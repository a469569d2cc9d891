problem { "ReLU, to time kernels with", level = 1, id = 1 }
sizes {
    full = { { N = 1048576 }, { N = 2097152 }, { N = 4194304 }, { N = 8388608 }, { N = 16777216 } },
    small = { N = 65536 },
}

output("y", relu(input("x", f32, { N })))
