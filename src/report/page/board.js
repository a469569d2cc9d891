// SPDX-License-Identifier: MIT
// The leaderboard: models x problems, every cell the best of its samples. Filters and order live in
// the address, so that a view can be sent to somebody.

const results = data.board.models.map((m) => m.results);
const resultOf = (m, p) => results[m][problemNames[p]];
const titles = data.problems.map((p) => p.title || '');

function boardState() {
  const a = address();
  return { q: (a.get('q') || '').toLowerCase().split(/\s+/).filter(Boolean), suite: a.get('suite') || '',
    kind: a.get('kind') || '', verdict: a.get('verdict') || '', sort: a.get('sort') || '',
    flip: a.get('flip') ? a.get('flip') === '1' : problemNames.length > 16 };
}

const kindMatches = (p, kind) => !kind || (kind === 'plain'
  ? !data.problems[p].repaired && !data.problems[p].algebra : Boolean(data.problems[p][kind]));

function matches(state, m, p, verdict) {
  const hay = (modelNames[m] + ' ' + problemNames[p] + ' ' + titles[p]).toLowerCase();
  return (!state.suite || suiteOf(problemNames[p]) === state.suite) && kindMatches(p, state.kind) &&
    (!state.verdict || verdict === state.verdict) && state.q.every((word) => hay.includes(word));
}

// Which rows and columns have something to show.
function visible(state) {
  const models = new Set(), problems = new Set();
  modelNames.forEach((_, m) => problemNames.forEach((_name, p) => {
    const r = resultOf(m, p);
    if (r && matches(state, m, p, r.verdict || 'skipped')) { models.add(m); problems.add(p); }
  }));
  return { models: [...models], problems: [...problems].sort((a, b) => a - b) };
}

// --- order ---

const strength = (r) => (!r ? -2 : r.correct ? (r.peak_fraction || 0) : -1);
const totals = (m, problems) => {
  const rs = problems.map((p) => resultOf(m, p)).filter(Boolean);
  // What a model left out counts as failed, as in every figure.
  return { passed: rs.filter((r) => r.correct).length, of: problems.length,
    sum: rs.reduce((a, r) => a + (r.correct ? r.peak_fraction || 0 : 0), 0) };
};
const bestOf = (p, models) => Math.max(-2, ...models.map((m) => strength(resultOf(m, p))));

// sort=name, sort=total, sort=KEY of a column; a leading '-' turns it round.
function ordered(items, key, value, name) {
  const down = key.startsWith('-');
  const sorted = [...items].sort((a, b) => {
    const va = value(a), vb = value(b);
    return (typeof va === 'string' ? va.localeCompare(vb) : vb - va) || name(a).localeCompare(name(b));
  });
  return down ? sorted.reverse() : sorted;
}

function sortHead(label, key, state, attributes, param = 'sort', fallback = '') {
  const current = state.sort || fallback;
  const direction = current === key ? 'descending' : current === '-' + key ? 'ascending' : null;
  return h('th', { scope: 'col', 'aria-sort': direction, ...attributes },
    h('button', { type: 'button', class: 'sort', 'data-key': param + ':' + key, click: () => {
      rewrite({ [param]: current === key ? '-' + key : key });
      refresh();
      // The table is new; a keyboard stays where it was.
      for (const b of document.querySelectorAll('button.sort'))
        if (b.dataset.key === param + ':' + key) b.focus({ preventScroll: true });
    } }, label));
}

// --- cells ---

// A word may break behind its underscores.
const breakable = (name) => name.split(/(?<=[_\-/])/).flatMap((part) => [part, h('wbr', {})]);

const mark = (verdict) => verdict && MARKS[verdict] &&
  h('span', { class: 'mark m-' + verdict, title: MARKS[verdict][1] }, MARKS[verdict][0],
    h('span', { class: 'hidden' }, ' ' + MARKS[verdict][1]));

const badges = (p) => [
  data.problems[p].repaired && h('span', { class: 'badge', title: 'repaired: ' + data.problems[p].repaired }, 'R'),
  data.problems[p].algebra && h('span', { class: 'badge', title: 'algebra: ' + data.problems[p].algebra }, 'A'),
];

function interval(lo, hi) {
  if (!finite(lo) || !finite(hi)) return null;
  const f = (v) => percent(v, '');
  return f(lo) === f(hi) ? null : f(lo) + '–' + f(hi);
}

// Only the candidate's own code was seen, where a class is required: such a pass is not ranked with others.
const ownCode = (peak) => (finite(peak) ? percent(peak) + ' · ' : '') + 'own code';

function passCell(r, faded) {
  const known = finite(r.peak_fraction);
  return h('td', { class: 'cell ' + (known ? heatClass(r.peak_fraction) : 'pass') + faded },
    h('a', { href: r.cell ? cellLink(r.cell) : null },
      h('b', {}, known ? percent(r.peak_fraction, '') : 'PASS',
        known && r.peak_fraction > 1 && h('span', { title: 'above the peak it is held against' }, '!'),
        mark(r.annotation)),
      h('small', {}, [known ? interval(r.peak_lo, r.peak_hi) : r.own_code ? ownCode(r.own_code_peak_fraction) : 'not timed', r.samples > 1 && `${r.passed}/${r.samples}`]
        .filter(Boolean).join(' · ') || ' ')));
}

function boardCell(m, p, state) {
  const r = resultOf(m, p);
  if (!r) return h('td', { class: 'cell none' }, h('span', { class: 'hidden' }, 'no candidate'));
  const faded = matches(state, m, p, r.verdict || 'skipped') ? '' : ' faded';
  if (r.correct) return passCell(r, faded);
  const verdict = r.verdict || 'skipped';
  return h('td', { class: 'cell bad b-' + verdict + faded },
    h('a', { href: cellLink(r.cell) },
      h('b', {}, SHORT[verdict] || 'skipped', mark(r.annotation)),
      h('small', {}, verdict === 'skipped' || verdict === 'build_error' ? verdict.replace('_', ' ') : r.reason || verdict,
        r.samples > 1 && ` · 0/${r.samples}`)));
}

// --- the two ways to lay the table out ---

const modelHead = (m) => [h('span', { class: 'long' }, breakable(modelNames[m]))];
const problemHead = (p) => [h('span', { class: 'long', title: titles[p] }, breakable(shortName(problemNames[p]))), badges(p)];

function modelRows(state, models, problems) {
  const key = state.sort.replace(/^-/, '');
  const at = problemNames.indexOf(key);
  const rows = ordered(models, state.sort,
    key === 'name' ? (m) => modelNames[m] : at >= 0 ? (m) => strength(resultOf(m, at))
      : (m) => { const t = totals(m, problems); return t.passed * 1000 + t.sum; }, (m) => modelNames[m]);
  return [h('thead', {}, h('tr', {}, sortHead('Model', 'name', state, { class: 'first' }),
    sortHead('Passed', 'total', state, {}, 'sort', 'total'),
    problems.map((p) => sortHead(problemHead(p), problemNames[p], state, { title: problemNames[p] })))),
  h('tbody', {}, rows.map((m) => {
    const t = totals(m, problems);
    return h('tr', {}, h('th', { scope: 'row', class: 'first' }, modelHead(m)),
      h('td', { class: 'total' }, h('b', {}, t.passed), h('small', {}, '/' + t.of)),
      problems.map((p) => boardCell(m, p, state)));
  }))];
}

function problemRows(state, models, problems) {
  const key = state.sort.replace(/^-/, '');
  const at = modelNames.indexOf(key);
  const rows = !state.sort ? problems : ordered(problems, state.sort,
    key === 'name' ? (p) => problemNames[p] : at >= 0 ? (p) => strength(resultOf(at, p))
      : (p) => bestOf(p, models), (p) => problemNames[p]);
  const columns = ordered(models, '', (m) => totals(m, problems).passed * 1000 + totals(m, problems).sum, (m) => modelNames[m]);
  return [h('thead', {}, h('tr', {}, sortHead('Problem', 'name', state, { class: 'first' }, 'sort', 'name'),
    sortHead('Best', 'total', state, {}),
    columns.map((m) => sortHead(modelHead(m), modelNames[m], state, { title: modelNames[m] })))),
  h('tbody', {}, rows.map((p) => h('tr', {},
    h('th', { scope: 'row', class: 'first' }, h('small', {}, suiteOf(problemNames[p])), ' ', problemHead(p)),
    h('td', { class: 'total' }, bestOf(p, models) >= 0 ? h('b', {}, percent(bestOf(p, models), '')) : '–'),
    columns.map((m) => boardCell(m, p, state)))))];
}

function boardTable(state) {
  const { models, problems } = visible(state);
  if (!models.length) return h('p', { class: 'note' }, 'Nothing matches these filters.');
  const parts = (state.flip ? problemRows : modelRows)(state, models, problems);
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Leaderboard' },
    h('table', { class: 'board' }, h('caption', { class: 'hidden' },
      'Peak fraction in percent of the best sample of each model and problem'), parts));
}

function heatLegend() {
  const edge = (i) => Math.round(100 * (i / HEAT) ** 2);
  return h('p', { class: 'legend heat' }, '% of peak ',
    Array.from({ length: HEAT }, (_, i) => h('span', { class: 'swatch ' + heatClass(((i + 0.5) / HEAT) ** 2) }, String(edge(i)))),
    h('span', { class: 'swatch bad b-wrong' }, 'FAIL'), 'judged and wrong, or rejected',
    h('span', { class: 'swatch bad b-crash' }, 'ERR'), 'did not build, crashed, or hung');
}

// --- a leaderboard from elsewhere, shown beside and never ranked with ours ---

function besideBoard(beside) {
  return h('section', { class: 'wide', 'aria-label': beside.title },
    h('h2', {}, 'Beside: ', beside.title),
    h('p', { class: 'note' }, 'Figures of another judge on other hardware, as published; they are not ranked with this run.'),
    h('div', { class: 'scroll fit', tabindex: '0', role: 'region', 'aria-label': beside.title },
      h('table', { class: 'board' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col', class: 'first' }, 'Model'), h('th', { scope: 'col' }, 'Passed'),
          beside.problems.map((p) => h('th', { scope: 'col', title: p }, h('span', { class: 'long' }, breakable(shortName(p))))))),
        h('tbody', {}, beside.models.map((m) => h('tr', {},
          h('th', { scope: 'row', class: 'first' }, h('span', { class: 'long' }, breakable(m.label))),
          h('td', { class: 'total' }, h('b', {}, m.pass_count === null ? '–' : m.pass_count)),
          beside.problems.map((p) => besideCell(m.results[p]))))))));
}

function besideCell(r) {
  if (!r) return h('td', { class: 'cell none' }, h('span', { class: 'hidden' }, 'no candidate'));
  const note = r.note && { class: 'noted', title: `${r.note.verdict}: ${r.note.summary}` };
  if (!r.correct)
    return h('td', { class: 'cell bad b-' + (r.has_solution === false ? 'crash' : 'wrong') },
      h('span', { class: 'in', ...note }, h('b', {}, r.has_solution === false ? 'ERR' : 'FAIL', mark(r.note && r.note.verdict)),
        h('small', {}, r.has_solution === false ? 'no solution' : ' ')));
  return h('td', { class: 'cell ' + (finite(r.peak_fraction) ? heatClass(r.peak_fraction) : 'pass') },
    h('span', { class: 'in', ...note }, h('b', {}, finite(r.peak_fraction) ? percent(r.peak_fraction, '') : 'PASS',
      mark(r.note && r.note.verdict)), h('small', {}, finite(r.peak_fraction) ? ' ' : 'not timed')));
}
