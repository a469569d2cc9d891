problem { "Hinge loss", level = 1, id = 100,
          repaired = "predictions are signed and targets any number: on U[0,1) the loss was 1 to "
            .. "0.3 %, and nothing was clamped" }
sizes { full = { N = 32768 }, small = { N = 160 } }
init()

-- One target a column: they lie along the last axis of the predictions. A needle weighs as much as
-- its row, whose other terms are 1.
local x = input("predictions", f32, { N, N }, spread(), normal(), heavy(), needle { scale = N })
local target = input("targets", f32, { N }, normal(), spread())
output("loss", hinge_loss(x, target))
