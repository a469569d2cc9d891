// SPDX-License-Identifier: MIT
// The front page: figures of the whole run, the leaderboard, charts, and every candidate in a list.

const judged = cells.filter((c) => c.v);

function summary() {
  const sum = (of) => data.board.models.reduce((a, m) => a + of(m), 0);
  const total = sum((m) => m.total_runs), right = sum((m) => m.verdicts.pass);
  const best = judged.filter((c) => c.v === 'pass' && finite(c.pf)).reduce((a, b) => (a && a.pf >= b.pf ? a : b), null);
  const solved = problemNames.filter((p) => data.board.per_problem[p].n_passed > 0).length;
  const card = (figure, label, more) => h('div', { class: 'card' }, h('b', {}, figure), h('span', {}, label),
    more && h('small', {}, more));
  return h('div', { class: 'cards' },
    card(total, total === 1 ? 'candidate' : 'candidates',
      `${modelNames.length} models, ${problemNames.length} problems`),
    card(total ? percent(right / total) : '–', 'right', `${right} passed every check`),
    card(`${solved}/${problemNames.length}`, 'problems solved', 'by at least one candidate'),
    card(best ? percent(best.pf) : '–', 'best peak fraction',
      best && h('a', { href: cellLink(best.id) }, `${modelNames[best.m]}, ${shortName(problemNames[best.p])}`)));
}

function deviceLine() {
  return h('p', { class: 'meta' }, data.devices.map((d) => h('span', {}, h('b', {}, d.info.name), ` (${d.device})`,
    d.info.driver && `, driver ${d.info.driver}`,
    d.calibration && `, measured ${count(d.calibration.read_gb_s * 1e9, 'B/s')}`)),
  h('span', {}, `${data.sizes} sizes`), data.weights !== 'per_call' && h('span', {}, `${data.weights} weights`), h('span', {}, data.created.replace('T', ' ').replace('Z', ' UTC')));
}

// --- filters ---

function select(label, name, options, state) {
  return h('label', {}, h('span', {}, label), h('select', { id: 'f-' + name, change: (e) => {
    rewrite({ [name]: e.target.value });
    refresh();
  } }, options.map(([value, text]) => h('option', { value, selected: state === value }, text))));
}

function toolbar() {
  const state = boardState();
  const suites = [...new Set(problemNames.map(suiteOf))];
  const verdicts = VERDICTS.filter((v) => judged.some((c) => c.v === v));
  const has = (key) => data.problems.some((p) => p[key]);
  return h('form', { class: 'toolbar', role: 'search', submit: (e) => e.preventDefault() },
    h('label', { class: 'grow' }, h('span', {}, 'Filter'), h('input', { id: 'f-q', type: 'search', value: address().get('q') || '',
      placeholder: 'model, problem or title  ( / )', autocomplete: 'off', input: (e) => {
        rewrite({ q: e.target.value });
        refresh();
      } })),
    suites.length > 1 && select('Suite', 'suite', [['', 'all'], ...suites.map((s) => [s, s])], state.suite),
    (has('repaired') || has('algebra')) && select('Problems', 'kind', [['', 'all'], ['plain', 'as published'],
      ['repaired', 'repaired'], ['algebra', 'algebra']], state.kind),
    select('Verdict', 'verdict', [['', 'all'], ...verdicts.map((v) => [v, v])], state.verdict),
    h('button', { type: 'button', id: 'flip', title: 'rows become columns', click: () => {
      rewrite({ flip: boardState().flip ? '0' : '1', sort: null });
      refresh();
    } }, 'Flip'));
}

// --- charts ---

function chart(title, note, figure) {
  return h('section', { class: 'chart' }, h('h2', {}, title), note && h('p', { class: 'note' }, note), figure);
}

// Over everything judged that was not our own fault: the denominator is the same for every x.
function peakSeries() {
  return modelNames.map((label, index) => {
    const own = judged.filter((c) => c.m === index && c.v !== 'infra');
    const peaks = own.filter((c) => c.v === 'pass' && finite(c.pf)).map((c) => c.pf).sort((a, b) => a - b);
    const reach = (i) => (peaks.length - i) / Math.max(1, own.length);
    const points = [[0, reach(0)]];
    peaks.forEach((p, i) => points.push([p, reach(i + 1)]));
    return { label, index, points, note: `${peaks.length} of ${own.length} pass` };
  });
}

// data.metrics is what `assay analyze --json` says of models.
const metrics = (data.metrics && data.metrics.models) || [];
const byNumber = (object) => Object.entries(object || {}).map(([k, v]) => [Number(k), v]).sort((a, b) => a[0] - b[0]);

function fastSeries() {
  return metrics.map((m) => ({ label: m.model, index: modelNames.indexOf(m.model),
    points: byNumber(m.all.fast_p).filter((f) => finite(f[1])) })).filter((one) => one.points.length > 1);
}

function ceilingRows(problems) {
  return problems.map((p) => ({
    problem: problemNames[p], label: shortName(problemNames[p]),
    points: modelNames.map((label, m) => ({ label, r: resultOf(m, p) }))
      .filter((x) => x.r && x.r.correct && finite(x.r.peak_fraction))
      .map((x) => ({ label: x.label, value: x.r.peak_fraction, cell: x.r.cell }))
      .concat((data.beside || []).flatMap((b) => publishedPoints(b, p))),
  }));
}
// A published problem is ours when the names agree without the suite.
function publishedPoints(beside, p) {
  const name = beside.problems.find((q) => shortName(q) === shortName(problemNames[p]));
  return !name ? [] : beside.models.filter((m) => m.results[name] && finite(m.results[name].peak_fraction))
    .map((m) => ({ label: m.label, value: m.results[name].peak_fraction, cell: null }));
}

// Points of all passing candidates of a problem (those of one device), a dot per size.
function rooflinePoints(p, device, current) {
  return judged.filter((c) => c.p === p && c.d === device && c.v === 'pass').flatMap((c) => c.z
    .filter((z) => finite(z[1])).map(([at, us, pf]) => {
      const size = data.problems[p].sizes[at];
      const params = Object.entries(size.params).map(([k, v]) => `${k}=${v}`).join(' ');
      return { cell: c.id, series: c.m, row: modelNames[c.m], current: current === c, flops: size.flops, bytes: size.bytes,
        bound: size.regime === 'compute' && finite(pf) ? size.flops / (pf * us * 1e-6) : null,
        seconds: us * 1e-6, label: `${modelNames[c.m]} ${c.n}, ${params}`,
        note: `${duration(us)}, ${count(size.bytes / (us * 1e-6), 'B/s')}` +
          (size.flops ? `, ${count(size.flops / (us * 1e-6), 'FLOP/s')}` : '') + `, ${percent(pf)} of peak` };
    }));
}

function rooflineSection() {
  const timed = problemNames.map((_, p) => p).filter((p) => judged.some((c) => c.p === p && c.v === 'pass' && c.z.some((z) => finite(z[1]))));
  if (!timed.length) return null;
  const holder = h('div', {});
  const show = (p) => {
    const devices = [...new Set(judged.filter((c) => c.p === p && c.v === 'pass').map((c) => c.d))];
    holder.replaceChildren(...devices.map((d) => h('div', {}, devices.length > 1 && h('h3', {}, data.devices[d].info.name),
      roofline(rooflinePoints(p, d), data.devices[d]))));
  };
  const wanted = problemNames.indexOf(address().get('roofline'));
  const first = timed.includes(wanted) ? wanted : timed.find((p) => data.problems[p].sizes.some((z) => z.flops > 0)) ?? timed[0];
  const picker = h('select', { id: 'roofline-problem', 'aria-label': 'Problem', change: (e) => {
    rewrite({ roofline: e.target.value });
    show(problemNames.indexOf(e.target.value));
  } }, timed.map((p) => h('option', { value: problemNames[p], selected: p === first }, problemNames[p])));
  show(first);
  return h('section', { class: 'chart wide', id: 'roofline' }, h('h2', {}, 'Roofline'),
    h('p', { class: 'note' }, 'What each passing candidate reaches, under the roofs that this device was measured to have ',
      '(solid) and that its datasheet claims (dashed). ', picker), holder);
}

// --- every candidate ---

const COLUMNS = [
  ['model', 'Model', (c) => modelNames[c.m]], ['problem', 'Problem', (c) => problemNames[c.p]], ['sample', 'Sample', (c) => -c.n],
  ['verdict', 'Verdict', (c) => c.v || 'skipped'], ['reason', 'Reason', (c) => c.r || ''], ['peak', 'Peak', (c) => (finite(c.pf) ? c.pf : -1)],
  ['cold', 'Cold', (c) => (finite(c.us) ? -c.us : -Infinity)],
];
const PAGE = 200;

function candidateRow(c) {
  return h('tr', {}, h('td', {}, modelNames[c.m]), h('td', {}, problemNames[c.p]), h('td', { class: 'num' }, c.n + (c.repeat ? '.' + c.repeat : '')),
    h('td', {}, h('a', { class: 'verdict w-' + (c.v || 'skipped'), href: cellLink(c.id) }, c.v || 'skipped'), ' ', mark(c.note && c.note.verdict)),
    h('td', {}, c.r || c.skipped || ''), h('td', { class: 'num' }, finite(c.pf) ? percent(c.pf) : ''),
    h('td', { class: 'num' }, finite(c.us) ? duration(c.us) : ''));
}

function candidateTable(all) {
  const state = boardState(), by = address().get('by') || '';
  const column = COLUMNS.find((c) => c[0] === by.replace(/^-/, ''));
  let list = cells.filter((c) => matches(state, c.m, c.p, c.v || 'skipped'));
  if (column) list = ordered(list, by, column[2], (c) => c.id);
  const shown = all ? list : list.slice(0, PAGE);
  return [h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'All candidates' }, h('table', { class: 'list', id: 'list' },
    h('thead', {}, h('tr', {}, COLUMNS.map(([key, label], i) =>
      sortHead(label, key, { sort: by }, { class: i === 2 || i > 4 ? 'num' : null }, 'by')))),
    h('tbody', {}, shown.map(candidateRow)))),
  h('p', { class: 'note', id: 'list-count' }, `${shown.length} of ${list.length} candidates. `,
    shown.length < list.length && h('button', { type: 'button', click: () => byId('candidates').replaceChildren(...candidateTable(true)) }, 'Show all'))];
}

// --- figures per model, as `assay analyze` computes them; kinds of problems apart ---

const KINDS_SHOWN = [['all', 'All problems'], ['plain', 'As published'], ['repaired', 'Repaired'], ['algebra', 'Algebra']];

function metricsRow(label, m, fast, pass) {
  const num = (v) => h('td', { class: 'num' }, v);
  return h('tr', {}, h('th', { scope: 'row' }, label), num(m.problems), num(m.samples), num(percent(m.compile_rate)), num(percent(m.correct_rate)),
    pass.map((k) => num(percent((m.pass_at_k || {})[k]))), num(percent(m.peak_fraction_mean)),
    data.metrics.baseline !== null && [num(times(m.geomean_speedup_correct)), num(times(m.geomean_speedup_all)), fast.map((p) => num(percent(m.fast_p[p])))]);
}

function metricsSection() {
  if (!metrics.length) return null;
  const fast = byNumber(metrics[0].all.fast_p).map((f) => f[0]);
  const pass = [...new Set(metrics.flatMap((m) => byNumber(m.all.pass_at_k).map((f) => f[0])))].sort((a, b) => a - b);
  const heads = ['Model', 'problems', 'samples', 'build', 'right', ...pass.map((k) => 'pass@' + k), 'mean of best peaks',
    ...(data.metrics.baseline !== null ? ['speed-up, right', 'speed-up, all', ...fast.map((p) => 'fast ' + p)] : [])];
  const kinds = KINDS_SHOWN.filter(([kind]) => metrics.some((m) => m[kind]));
  return h('section', { class: 'wide' }, h('h2', {}, 'Figures per model'), h('p', { class: 'note' },
    'Rates are means over problems; every problem of the run counts for every model. ',
    data.metrics.baseline !== null ? `The baseline is ${[data.metrics.baseline, ...(data.metrics.baseline_notes || [])].join('; ')}.` : 'Without a baseline there are no speed-ups.'),
  h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Figures per model' }, h('table', { class: 'list', id: 'metrics' },
    h('thead', {}, h('tr', {}, heads.map((t, i) => h('th', { scope: 'col', class: i ? 'num' : null }, t)))),
    kinds.map(([kind, title]) => h('tbody', {}, kinds.length > 1 && h('tr', { class: 'kind' }, h('th', { scope: 'rowgroup', colspan: heads.length }, title)),
      metrics.filter((m) => m[kind]).map((m) => metricsRow(m.model, m[kind], fast, pass)))))));
}

// --- the page ---

function refresh() {
  const state = boardState();
  byId('board').replaceChildren(boardTable(state));
  byId('candidates').replaceChildren(...candidateTable(false));
  byId('ceilings').replaceChildren(ceilingSection(state, false));
}

function ceilingSection(state, all) {
  const problems = visible(state).problems;
  const shown = all ? problems : problems.slice(0, 30);
  return h('div', {}, ceilings(ceilingRows(shown)), shown.length < problems.length && h('p', { class: 'note' },
    h('button', { type: 'button', click: () => byId('ceilings').replaceChildren(ceilingSection(boardState(), true)) },
      `Show all ${problems.length} problems`)));
}

function overview() {
  const peakMost = Math.max(1, ...judged.filter((c) => c.v === 'pass').map((c) => c.pf || 0));
  const fast = fastSeries();
  const bars = data.board.models.map((m) => ({ label: m.label, verdicts: m.verdicts, total: m.total_runs }))
    .sort((a, b) => b.verdicts.pass / (b.total || 1) - a.verdicts.pass / (a.total || 1) || a.label.localeCompare(b.label));
  const view = h('div', { class: 'overview' },
    h('h1', {}, data.name), deviceLine(), summary(),
    h('section', { class: 'wide', 'aria-label': 'Leaderboard' }, h('h2', {}, 'Leaderboard'), toolbar(), h('div', { id: 'board' }), heatLegend()),
    (data.beside || []).map(besideBoard),
    h('div', { class: 'columns' },
      chart('Verdicts', 'Every candidate that was judged.', passBars(bars)),
      chart('How close to the peak', 'Share of a model’s candidates that are right and reach at least x of the peak.',
        curves(peakSeries(), { from: 0, to: peakMost, step: true, ticks: ticks(0, peakMost, 5), format: share,
          xLabel: 'peak fraction', yLabel: 'of candidates', label: 'Share of candidates by peak fraction' })),
      fast.length > 0 && chart('fast_p', 'Share of candidates that are right and more than p times as fast as the baseline.',
        curves(fast, { from: 0, to: Math.max(...fast[0].points.map((p) => p[0])), ticks: fast[0].points.map((p) => p[0]).filter((p) => p !== 0.8),
          format: String, xLabel: 'p, times the baseline', yLabel: 'of candidates', label: 'fast_p' }))),
    h('section', { class: 'chart wide' }, h('h2', {}, 'Ceilings'), h('p', { class: 'note' },
      'The best of each model on a problem; the filled dot is the ceiling. The axis is a square root.',
      (data.beside || []).length > 0 && ' Diamonds are published figures of other hardware.'), h('div', { id: 'ceilings' })),
    rooflineSection(), metricsSection(),
    h('section', { class: 'wide' }, h('h2', {}, 'All candidates'), h('div', { id: 'candidates' })));
  byId('view').replaceChildren(view);
  refresh();
}
