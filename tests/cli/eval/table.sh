# covers: src/cmd/text.c src/terms/fault_name.c src/process/rproc_wait.c
cp "$ROOT"/tests/fake/*.fake .
printf 'op relu\ntime 40us\n' >slow.fake
printf 'op relu\ntime 10us\n' >quick.fake
printf 'op relu\nstderr 100MB\n' >loud.fake
printf 'op relu\nopen /etc/passwd\n' >open.fake
"$ASSAY" eval --timeout 1500 --seed 7 level1/19 slow.fake quick.fake zeros.fake past.fake half.fake nan.fake \
    once.fake replay.fake late.fake segv.fake abrt.fake exit.fake return.fake hang.fake fork.fake \
    socket.fake loud.fake open.fake entry.fake broken.fake |
    # Poison is random: so is which element is worst, and it may begin with the bytes that past.fake writes.
    sed 's/element [0-9]* of/element N of/; s/(byte +[0-9]*)/(byte +N)/'
exit "${PIPESTATUS[0]}"
