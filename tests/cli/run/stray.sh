# Why nothing was found was not said: the notes came after the error.
mkdir -p gen/m
echo 'op relu' >gen/m/relu.fake
"$ASSAY" run gen --name r
