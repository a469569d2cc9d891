# A stdout that cannot be written is an error, not a silent success.
"$ASSAY" list >/dev/full
