# An op that nobody uses is a slip of the keyboard, not an empty table.
"$ASSAY" list --op nosuch
