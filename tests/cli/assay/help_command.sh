"$ASSAY" help doctor
"$ASSAY" help nosuch
