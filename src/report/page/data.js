// SPDX-License-Identifier: MIT
// What the program put into the page: an index, read at once, and the details (samples, sources,
// compiler text), deflated, unpacked when the first candidate is opened.

const data = JSON.parse(byId('data').textContent);

const VERDICTS = ['pass', 'wrong', 'rejected', 'crash', 'timeout', 'build_error', 'infra'];
// What a cell says when it is no pass: FAIL was judged and found wanting, ERR never got that far.
const SHORT = { pass: 'PASS', wrong: 'FAIL', rejected: 'FAIL', crash: 'ERR', timeout: 'ERR',
  build_error: 'ERR', infra: 'n/a' };
const MARKS = {
  clean: ['✓', 'read by a person: clean'],
  rubric_leak: ['◆', 'rubric leak: passes by what the rubric does not forbid'],
  reward_hack: ['▲', 'reward hack: games the score'],
  contamination: ['■', 'contamination: the answer was there before the work'],
  interesting: ['★', 'interesting'],
  bug: ['●', 'bug: of the benchmark, or of the candidate'],
};

const cells = data.cells;
cells.forEach((cell, i) => { cell.at = i; });
const cellById = new Map(cells.map((cell) => [cell.id, cell]));
const modelNames = data.board.models.map((m) => m.label);
const problemNames = data.board.problems;
// "level1/019_relu" -> "019_relu"; a problem of no suite is its own name
const shortName = (problem) => problem.slice(problem.lastIndexOf('/') + 1);
const suiteOf = (problem) => (problem.includes('/') ? problem.slice(0, problem.indexOf('/')) : 'other');

async function unpack(base64) {
  if (!('DecompressionStream' in window))
    throw new Error('this browser is too old to unpack sources and samples (DecompressionStream)');
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

let unpacked = null;
function details() {
  unpacked = unpacked || unpack(byId('details').textContent.trim());
  return unpacked;
}

// 8 classes by the square root: most kernels live below a third of the peak.
const HEAT = 8;
const heatClass = (fraction) =>
  'h' + Math.max(0, Math.min(HEAT - 1, Math.floor(Math.sqrt(fraction) * HEAT)));
