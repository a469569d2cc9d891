'use strict';
// SPDX-License-Identifier: MIT
// Elements, numbers and the address bar. Model names, sources and compiler text are hostile: they
// reach the page only as text nodes and attribute values made here, never as markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);

// --- numbers ---

const finite = (v) => typeof v === 'number' && Number.isFinite(v);
const digits = (v) => (v >= 100 ? 0 : v >= 10 ? 1 : v >= 0.1 ? 2 : 3);

function percent(fraction, unit = ' %') {
  if (!finite(fraction)) return '–';
  const v = fraction * 100;
  return v.toFixed(v >= 100 ? 0 : v >= 1 ? 1 : 2) + unit;
}
function duration(us) {
  if (!finite(us)) return '–';
  if (us >= 1e6) return (us / 1e6).toFixed(digits(us / 1e6)) + ' s';
  if (us >= 1e3) return (us / 1e3).toFixed(digits(us / 1e3)) + ' ms';
  return us.toFixed(2) + ' µs';
}
function count(v, unit = '') {
  if (!finite(v)) return '–';
  const steps = ['', ' k', ' M', ' G', ' T', ' P'];
  let i = 0;
  while (Math.abs(v) >= 1000 && i + 1 < steps.length) { v /= 1000; i++; }
  return (i ? v.toFixed(Math.min(2, digits(v))) : String(+v.toPrecision(4))) + (steps[i] || (unit && ' ')) + unit;
}
const times = (v) => (finite(v) ? v.toFixed(digits(v)) + '×' : '–');
const scientific = (v) => (finite(v) ? (v === 0 ? '0' : v.toExponential(2)) : '–');

// --- the address: #q=relu&sort=passed, #cell=ID. Everything a reader sees can be linked to. ---

const address = () => new URLSearchParams(location.hash.slice(1));
function addressWith(changes) {
  const a = address();
  for (const [key, value] of Object.entries(changes))
    if (value === null || value === '') a.delete(key); else a.set(key, value);
  return '#' + a.toString();
}
// Filters replace the entry in the history; cells are pages and get one of their own.
const rewrite = (changes) => history.replaceState(null, '', addressWith(changes));
const cellLink = (id) => addressWith({ cell: id, line: null });
