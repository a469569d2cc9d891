# Fixed weights are for candidates in Python: another file is refused before anything is judged or stored.
printf 'op relu\n' >mine.fake
echo 'x = 1' >mine.py
"$ASSAY" eval level1/40 mine.py mine.fake --weights fixed
echo "exit $?"
"$ASSAY" eval level1/40 mine.fake --weights often
echo "exit $?"
sqlite3 "$ASSAY_HOME/store.db" 'select count(*) from records' 2>/dev/null || echo "nothing is stored"
