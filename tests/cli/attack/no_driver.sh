# The device is missing, not something of the first attack: its file was in front of the message.
mkdir hidden && : >hidden/libcuda.so.1 # no library, and found first: a machine without a driver
export LD_LIBRARY_PATH=$PWD/hidden
"$ASSAY" attack --device cuda
