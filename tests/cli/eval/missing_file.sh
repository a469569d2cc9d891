"$ASSAY" eval level1/19 no_such_file.fake
