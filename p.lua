problem { 'P', level = 1, id = 1 }
sizes { full = { N = 256 }, small = { N = 32 } }
nulls { skip = { zeroes = 'a test' } }
output('y', relu(input('x', f32, { N, N })))