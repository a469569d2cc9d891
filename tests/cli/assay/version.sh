# The release, and the commit that it was built from where that is known.
"$ASSAY" --version | sed -E 's/\+[0-9a-f]{7,}(-dirty)?$//'
