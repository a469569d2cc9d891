# covers: src/cmd/text.c src/terms/fault_name.c src/process/rproc_wait.c
printf 'op relu\ntime 40us\n' >slow.fake
printf 'op relu\ntime 10us\n' >quick.fake
printf 'op zeros\n' >zeros.fake
printf 'op relu\npast-end\n' >past.fake
printf 'op relu\nhalf\n' >half.fake
printf 'op nan\n' >nan.fake
printf 'op relu\nfirst-call-only\n' >once.fake
printf 'op relu\nreplay\n' >replay.fake
printf 'op relu\nwrong at call 17\n' >late.fake
printf 'op relu\ncrash SIGSEGV\n' >segv.fake
printf 'op relu\ncrash SIGABRT at call 2\n' >abrt.fake
printf 'op relu\nexit 3\n' >exit.fake
printf 'op relu\nreturn 7\n' >return.fake
printf 'op relu\nhang\n' >hang.fake
printf 'op relu\nhang at load\n' >load.fake
printf 'op relu\nfork at call 3\n' >fork.fake
printf 'op relu\nsocket\n' >socket.fake
printf 'op relu\nstderr 100MB\n' >loud.fake
printf 'op relu\nopen /etc/passwd\n' >open.fake
printf 'no-entry\n' >entry.fake
printf 'frobnicate\n' >broken.fake
"$ASSAY" eval --timeout 1500 --seed 7 level1/19 slow.fake quick.fake zeros.fake past.fake half.fake nan.fake \
    once.fake replay.fake late.fake segv.fake abrt.fake exit.fake return.fake hang.fake fork.fake \
    socket.fake loud.fake open.fake entry.fake broken.fake |
    # Poison is random: so is which element is worst, and it may begin with the bytes that past.fake writes.
    sed 's/element [0-9]* of/element N of/; s/(byte +[0-9]*)/(byte +N)/'
exit "${PIPESTATUS[0]}"
