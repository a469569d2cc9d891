// SPDX-License-Identifier: MIT
// Which page, the theme, the keys.

const HOW = ['auto', 'light', 'dark'];
function setTheme(name) {
  if (name === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId('theme').textContent = { auto: '◐ Auto', light: '○ Light', dark: '● Dark' }[name];
  try { localStorage.setItem('assay-theme', name); } catch { /* a file may have no storage */ }
}
function startTheme() {
  let name = 'auto';
  try { name = localStorage.getItem('assay-theme') || 'auto'; } catch { /* the same */ }
  setTheme(HOW.includes(name) ? name : 'auto');
  byId('theme').addEventListener('click', () =>
    setTheme(HOW[(HOW.indexOf(document.documentElement.dataset.theme || 'auto') + 1) % HOW.length]));
}

let shown = null; // 'overview', or the id of the cell
function render() {
  const id = address().get('cell');
  // A record's id works too: the first cell that it fills.
  const cell = id && (cellById.get(id) || cells.find((c) => c.record === id));
  const next = cell ? cell.id : 'overview';
  document.title = (cell ? `${modelNames[cell.m]}, ${shortName(problemNames[cell.p])} · ` : '') + data.name + ' · Assay';
  const moved = shown !== null && shown !== next;
  shown = next;
  if (moved) window.scrollTo(0, 0);
  if (cell) return cellPage(cell).catch((e) => byId('view').append(h('p', { class: 'note' }, String(e.message || e))));
  overview();
  if (id) byId('view').prepend(h('p', { class: 'note warn' }, `There is no candidate “${id}” in this report.`));
  return null;
}

// Left and right go through the cells in their order, Escape back, / to the filter.
function onKey(e) {
  if (e.target.matches('input, select, textarea') || e.ctrlKey || e.metaKey || e.altKey) return;
  const cell = cellById.get(shown);
  if (e.key === '/' && !cell) { e.preventDefault(); byId('f-q').focus(); }
  if (!cell || e.target.closest('.scroll')) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  if (step && cells[cell.at + step]) location.hash = cellLink(cells[cell.at + step].id);
  if (e.key === 'Escape') location.hash = addressWith({ cell: null, line: null });
}

byId('run').textContent = data.name;
byId('skip').addEventListener('click', (e) => { e.preventDefault(); byId('top').focus(); });
byId('foot').replaceChildren(`Made by ${data.board.generator}. One file, nothing is loaded from anywhere. `,
  'Cold medians with caches flushed; every timed call was checked. R: repaired, A: exact algebra removes work.');
startTheme();
window.addEventListener('hashchange', render);
document.addEventListener('keydown', onKey);
render();
document.documentElement.dataset.ready = 'yes';
