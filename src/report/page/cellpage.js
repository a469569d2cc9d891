// SPDX-License-Identifier: MIT
// The page of one candidate: what was found, how it was timed, what it is.

const definition = (rows) => h('dl', { class: 'facts' }, rows.filter(Boolean).map(([term, ...value]) =>
  h('div', {}, h('dt', {}, term), h('dd', {}, value))));
const block = (title, open, ...body) => h('details', { open }, h('summary', {}, title), body);
const panel = (title, ...body) => h('section', { class: 'panel' }, h('h2', {}, title), body);
const verbatim = (content) => h('pre', { class: 'log', tabindex: '0' }, content);

function sizesTable(record) {
  const params = (s) => Object.entries(s.params).map(([k, v]) => `${k}=${v}`).join(' ');
  // What a caller waits is another thing only where a host launches and a device works.
  const called = record.sizes.some((s) => finite(s.call_us) && s.call_us !== s.cold_us);
  const heads = ['Size', 'Cold', '95 % interval', 'Hot', ...(called ? ['Call'] : []), 'Floor', 'Peak', 'SOL', 'FLOP', 'Bytes', 'Regime', 'Error rms', 'honest', 'Calls'];
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Sizes' }, h('table', { class: 'list sizes' },
    h('thead', {}, h('tr', {}, heads.map((t, i) => h('th', { scope: 'col', class: i && t !== 'Regime' ? 'num' : null }, t)))),
    h('tbody', {}, record.sizes.map((s) => h('tr', {}, h('th', { scope: 'row' }, params(s), s.host_bound && h('span', { class: 'badge', title: 'a caller waits much longer than the device works' }, 'host bound')),
      [duration(s.cold_us), finite(s.cold_lo) ? `${duration(s.cold_lo)} .. ${duration(s.cold_hi)}` : '–', duration(s.hot_us), ...(called ? [duration(s.call_us)] : []),
        duration(s.floor_us), percent(s.peak_fraction), percent(s.sol), s.flops ? count(s.flops) : '–', count(s.bytes, 'B')]
        .map((t) => h('td', { class: 'num' }, t)),
      h('td', {}, s.regime || '–'),
      [scientific(s.error && s.error.rms), scientific(s.error && s.error.honest_rms), s.calls]
        .map((t) => h('td', { class: 'num' }, t)))))));
}

function timing(record) {
  const timed = record.sizes.filter((s) => s.samples && s.samples.length);
  if (!timed.length) return null;
  return panel('Timed calls', timed.map((s) => h('div', {}, h('h3', {}, Object.entries(s.params).map(([k, v]) => `${k}=${v}`).join(' ')),
    distribution(s), h('p', { class: 'note' }, s.samples.length < s.n_samples ? `${s.samples.length} of ${s.n_samples} scored calls are drawn. ` : `${s.n_samples} scored calls. `,
      'The band is the 95 % interval of the median', s.settled ? ', which settled.' : ', which did not settle within the limit.'))));
}

function noteBlock(note) {
  if (!note) return null;
  return h('section', { class: 'panel annotation m-' + note.verdict }, h('h2', {}, mark(note.verdict), ' ', note.verdict.replace('_', ' ')),
    h('p', {}, note.summary),
    note.quotes.map((q) => h('figure', { class: 'quote' },
      h('figcaption', {}, `${q.file}, `, h('a', { href: addressWith({ line: q.lines[0] }) }, q.lines[0] === q.lines[1] ? `line ${q.lines[0]}` : `lines ${q.lines[0]}–${q.lines[1]}`),
        q.label && `: ${q.label}`), verbatim(q.text))),
    note.implication && h('p', {}, h('b', {}, 'What it means: '), note.implication));
}

function evidenceBlock(evidence) {
  if (!evidence) return null;
  if (!evidence.checked) return block('Evidence', false, h('p', {}, 'The machine code was not read: ', evidence.why || 'unknown'));
  return block('Evidence', true, definition([['tensor cores', (evidence.tensor || []).join(', ') || 'none'],
    evidence.requires && ['the problem requires', evidence.requires], ['instructions', count(evidence.instructions)], ['read by', evidence.tool],
    evidence.scope === 'own_code' && ['seen', 'its own code, not that of libraries'],
    evidence.loads_code && ['could load code', evidence.loads_code],
    ['opcodes', Object.entries(evidence.opcodes || {}).map(([k, v]) => `${k} ${v}`).join(', ')]]),
  (evidence.kernels || []).length > 0 && h('div', { class: 'scroll' }, h('table', { class: 'list' }, h('thead', {}, h('tr', {},
    ['kernel', 'registers', 'stack', 'local', 'shared'].map((t, i) => h('th', { scope: 'col', class: i ? 'num' : null }, t)))),
  h('tbody', {}, evidence.kernels.map((k) => h('tr', {}, h('td', { class: 'code' }, k.name),
    [k.registers, k.stack_bytes, k.local_bytes, k.shared_bytes].map((v) => h('td', { class: 'num' }, finite(v) ? v : '–'))))))));
}

function conditions(cell, record) {
  const device = data.devices[cell.d], phases = record.phases_ms || {};
  return block('How it was judged', false, definition([
    ['device', device.info.name, ` (${device.device})`], ['toolchain', (record.build && record.build.toolchain) || '–'],
    ['clock', record.audit && record.audit.clock],
    ['plan', `${record.plan.checks} checks, ${record.plan.warmups} warm-ups, ${record.plan.min_calls} to ${record.plan.max_calls} scored calls, ${record.plan.runners} processes`],
    ['sandbox', record.sandbox.layers.join(', ') || 'nothing was started', record.sandbox.missing.length > 0 && h('b', {}, '; missing: ' + record.sandbox.missing.join(', '))],
    ['time we took', Object.entries(phases).filter(([, v]) => v >= 0.05).map(([k, v]) => `${k} ${v.toFixed(1)} ms`).join(', ')],
    ['contents from pool', h('code', {}, (record.pool || '–').slice(0, 16)), record.seed && ` seed ${record.seed}`],
    ['record', h('code', {}, record.id), ` ${record.created}, assay ${record.assay}`],
    ['candidate', h('code', {}, record.candidate.hash.slice(0, 16)), ` ${record.candidate.bytes} bytes`]]));
}

function siblings(cell) {
  const same = cells.filter((c) => c.m === cell.m && c.p === cell.p);
  const others = modelNames.map((_, m) => resultOf(m, cell.p)).map((r, m) => ({ r, m })).filter((x) => x.r && x.m !== cell.m);
  return h('nav', { class: 'siblings', 'aria-label': 'Other candidates' },
    same.length > 1 && h('p', {}, 'Samples: ', same.map((c) => h('a', { class: 'chip w-' + (c.v || 'skipped'), href: cellLink(c.id),
      'aria-current': c === cell ? 'page' : null, title: c.v || 'skipped' }, `${c.n}${c.repeat ? '.' + c.repeat : ''} ${finite(c.pf) ? percent(c.pf) : SHORT[c.v] || 'skipped'}`))),
    others.length > 0 && h('p', {}, 'Others on this problem: ', others.sort((a, b) => strength(b.r) - strength(a.r)).slice(0, 12)
      .map(({ r, m }) => h('a', { class: 'chip w-' + (r.verdict || 'skipped'), href: cellLink(r.cell) },
        `${modelNames[m]} ${finite(r.peak_fraction) ? percent(r.peak_fraction) : SHORT[r.verdict] || 'skipped'}`))));
}

function headline(cell) {
  const p = data.problems[cell.p];
  return [h('nav', { class: 'crumbs', 'aria-label': 'Back' }, h('a', { href: addressWith({ cell: null, line: null }), id: 'back' }, '← ', data.name)),
    h('h1', {}, h('span', { class: 'dim' }, modelNames[cell.m], ' on '), problemNames[cell.p]),
    h('p', { class: 'meta' }, h('span', {}, p.title), h('span', {}, `sample ${cell.n}${cell.repeat ? `, repeat ${cell.repeat}` : ''}`), h('span', {}, h('code', {}, cell.file)),
      badges(cell.p))];
}

function verdictLine(cell, record) {
  const figure = (value, label, more) => value !== '–' && h('div', { class: 'card' }, h('b', {}, value), h('span', {}, label), more && h('small', {}, more));
  const first = record.sizes.length === 1 ? record.sizes[0] : null;
  return [h('p', { class: 'judgement' }, h('span', { class: 'verdict big w-' + cell.v }, cell.v.replace('_', ' ')), cell.r && h('b', {}, cell.r),
    record.detail && h('span', {}, record.detail)),
  cell.v === 'pass' && h('div', { class: 'cards' },
    figure(percent('own' in cell ? cell.own : cell.pf), 'own' in cell ? 'of peak, own code only' : 'of peak', interval(cell.lo, cell.hi) && interval(cell.lo, cell.hi) + ' %'),
    figure(percent(cell.sol), 'of what this device reaches'),
    figure(duration(cell.us), record.sizes.length > 1 ? 'cold, geometric mean' : 'cold', first && finite(first.cold_lo) && `${duration(first.cold_lo)} .. ${duration(first.cold_hi)}`),
    first && figure(duration(first.hot_us), 'hot', 'back to back'))];
}

// What a shell takes as one word.
const shellWord = (s) => (/^[\w.\/:+-]+$/.test(s) ? s : "'" + s.replace(/'/g, "'\\''") + "'");
const repeatLine = (cell, record) => `assay eval ${problemNames[cell.p]} ${shellWord(cell.file)} --device ${data.devices[cell.d].device} --sizes ${record.plan.sizes}${record.candidate.weights === 'fixed' ? ' --weights fixed' : ''}`;

async function cellPage(cell) {
  const holder = h('article', { class: 'cellpage' }, headline(cell));
  byId('view').replaceChildren(holder);
  if (!cell.v) {
    holder.append(h('p', { class: 'judgement' }, h('span', { class: 'verdict big w-skipped' }, 'skipped'), h('span', {}, cell.skipped || 'not judged')), siblings(cell));
    return;
  }
  const all = await details();
  const record = all.records[cell.at], quotes = cell.note ? cell.note.quotes : [];
  const device = data.devices[cell.d], points = rooflinePoints(cell.p, cell.d, cell);
  const parts = [verdictLine(cell, record), siblings(cell), noteBlock(cell.note),
    record.sizes.length > 0 && panel('Sizes', sizesTable(record)), timing(record),
    cell.v === 'pass' && points.length > 0 && panel('Roofline', roofline(points, device), h('p', { class: 'note' }, 'This candidate is the ringed dot; the others passed the same problem.')),
    record.build && record.build.log && panel('Compiler', verbatim(record.build.log)),
    record.candidate.printed && panel('It printed', verbatim(record.candidate.printed)),
    panel('Details', evidenceBlock(record.evidence), conditions(cell, record), block('Repeat it', true, verbatim(repeatLine(cell, record)))),
    panel('Source', h('div', { class: 'scroll code' }, sourceTable(all.sources[record.source], cell.file, quotes, (n) => addressWith({ line: n }))))];
  for (const part of parts.flat(Infinity)) if (part) holder.append(part);
  const line = address().get('line');
  const row = line && byId('L' + Number(line));
  if (row) { row.classList.add('target'); row.scrollIntoView({ block: 'center' }); }
}
