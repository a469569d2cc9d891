# A program without its share folder is no working installation, and the doctor says what to do.
# covers: src/cmd/cmd_doctor.c
ASSAY_PYTHON=/nonexistent ASSAY_SHARE=/nonexistent "$ASSAY" doctor 2>&1 | sed -En 's/^(NO  assay) .*, (no problems.*)/\1 \2/p'
exit "${PIPESTATUS[0]}"
