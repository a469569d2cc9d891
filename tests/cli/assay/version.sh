# The release, and the commit that it was built from where that is known.
# covers: src/base/version.c
"$ASSAY" --version | sed -E 's/\+[0-9a-f]{7,}(-dirty)?$//'
