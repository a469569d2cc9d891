// SPDX-License-Identifier: MIT
// Just enough of C, CUDA and Python to read a kernel by: comments, text, numbers, words.

const WORDS = new Set(('alignas auto bool break case char class const constexpr continue default do double else enum extern ' +
  'false float for goto half if inline int long namespace nullptr register restrict return short signed sizeof static ' +
  'struct switch template true typedef typename union unsigned using void volatile while size_t int8_t int16_t int32_t ' +
  'int64_t uint8_t uint16_t uint32_t uint64_t __global__ __device__ __shared__ __constant__ __host__ __restrict__ ' +
  '__launch_bounds__ __syncthreads __kernel __local and as assert async await def del elif except finally from import ' +
  'in is lambda None nonlocal not or pass raise try True False with yield').split(' '));

const C_TOKENS = /(\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|\/\/[^\n]*)|("(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(^[ \t]*#[ \t]*\w+)|(\b\d[\w.]*(?:[eEpP][+-]?\d+)?\w*)|([A-Za-z_]\w*)/gm;
const PYTHON_TOKENS = /(#[^\n]*)|("""[\s\S]*?(?:"""|(?![\s\S]))|'''[\s\S]*?(?:'''|(?![\s\S]))|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(^[ \t]*@[\w.]+)|(\b\d[\w.]*)|([A-Za-z_]\w*)/gm;
const KINDS = [null, 'c', 't', 'p', 'n', 'w'];

// The source as a list of lines, each a list of [kind or null, text].
function tokens(source, file) {
  const lines = [[]];
  const put = (kind, part) => part.split('\n').forEach((piece, i) => {
    if (i) lines.push([]);
    if (piece) lines[lines.length - 1].push([kind, piece]);
  });
  let end = 0;
  for (const m of source.matchAll(/\.py$/.test(file) ? PYTHON_TOKENS : C_TOKENS)) {
    const group = m.findIndex((part, i) => i > 0 && part !== undefined);
    if (group === 5 && !WORDS.has(m[5])) continue;
    put(null, source.slice(end, m.index));
    put(KINDS[group], m[0]);
    end = m.index + m[0].length;
  }
  put(null, source.slice(end));
  return lines;
}

// quotes: [{lines: [a, b], label}] are shown on the margin.
function sourceTable(source, file, quotes, link) {
  const quoted = new Map();
  for (const q of quotes)
    for (let n = q.lines[0]; n <= q.lines[1]; n++) quoted.set(n, q.label || 'quoted');
  return h('table', { class: 'source', 'aria-label': 'Source of ' + file }, h('tbody', {},
    tokens(source.replace(/\n$/, ''), file).map((parts, i) => h('tr',
      { id: 'L' + (i + 1), class: quoted.has(i + 1) ? 'quoted' : null, title: quoted.get(i + 1) },
      h('td', { class: 'number' }, h('a', { href: link(i + 1), 'aria-label': 'line ' + (i + 1) }, String(i + 1))),
      h('td', { class: 'code' }, parts.map(([kind, part]) => (kind ? h('span', { class: 't-' + kind }, part) : part)),
        parts.length ? null : ' ')))));
}
