problem { "Kullback-Leibler divergence, mean over rows", level = 1, id = 98,
          repaired = "inputs are positive numbers, not softmaxes of U[0,1), whose divergence "
            .. "followed from one hidden scalar" }
sizes { full = { B = 16384, N = 16384 }, small = { B = 64, N = 256 } }
init()

-- Predictions stay away from 0, whose logarithm is -inf; targets need not: 0 log 0 is 0. The few
-- targets of the third law show what thousands of terms average away.
local p = input("predictions", f32, { B, N }, uniform(0.01 / N, 2 / N), bands(0.01 / N, 2 / N), uniform(0.01 / N, 2 / N))
local target = input("targets", f32, { B, N }, bands(0, 2 / N), uniform(0, 2 / N), bernoulli(64 / (B * N)))
output("loss", kl_div(log(p), target))
