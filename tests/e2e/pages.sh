# tests/e2e/pages.py finds what is wrong with a page: a command that fails, other words, another count, a line too many or
# too few. It passes over what varies: figures, a device's name, notes on times, the place of messages.
set -u
bad=0
page() { # WANT-STATUS WHAT, and the block's lines on stdin
    { echo '```sh'; cat; echo '```'; } >page.md
    "$ROOT/tests/e2e/pages.py" type page.md >log
    got=$?
    [ $got = "$1" ] || { echo "$2: exit $got"; cat page.md log; bad=1; }
}
page 0 "figures vary" <<'END'
$ echo 'cold 3.25 us, 1200 .. 1300, 7.1e+05x   in 12 ms'
cold 17 us, 99.5 .. 110, 2.44e+11x in 3 ms
$ echo 'x.c  on cpu (Intel(R) Xeon(R), 16 cores)'
x.c on cpu (AMD EPYC, 1 core)
END
page 0 "notes and the place of messages vary" <<'END'
$ echo 'assay: calibrated X once'; echo '  N=96: bimodal: two groups'; echo 'assay: run r: 1 judged' >&2; echo table
table
assay: run r: 1 judged
END
page 0 "any lines" <<'END'
$ seq 5
1
...
5
END
page 0 "a verdict exits with 1, and a page may ask for other statuses" <<'END'
$ echo '  wrong: max'; false
wrong: max
$ ( exit 5 )
$ echo $?
5
END
page 1 "a command fails" <<'END'
$ false
END
page 1 "another status" <<'END'
$ echo '  wrong: max'; ( exit 3 )
wrong: max
END
page 1 "another word" <<'END'
$ echo '  wrong: max'
wrong: rms
END
page 1 "another count" <<'END'
$ echo 'ada 2 1 1'
ada 2 2 0
END
page 1 "a line too few" <<'END'
$ seq 2
1
END
page 1 "a line too many" <<'END'
$ seq 2
1
2
...
4
END
page 1 "another message" <<'END'
$ echo 'assay: no such file' >&2
assay: no such problem
END
page 1 "the shell ends early" <<'END'
$ exit 0
$ echo more
more
END
page 1 "no command" </dev/null

cat >page.md <<'END'
Save this as `file`:

```text
$HOME `x` 'y'
```

<!-- needs: GPU -->
```sh
$ false
```

```sh
$ cat file
$HOME `x` 'y'
```
END
"$ROOT/tests/e2e/pages.py" type page.md >log || { echo "files and needs: exit $?"; cat log; bad=1; }
grep -q 'left out: no GPU' log || { echo "nothing says what was left out"; bad=1; }
exit $bad
