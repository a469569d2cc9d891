// SPDX-License-Identifier: MIT
// Charts as plain SVG, drawn at the width they have: text keeps its size on a phone.

const linear = (d0, d1, r0, r1) => (v) => r0 + ((v - d0) / (d1 - d0 || 1)) * (r1 - r0);
const logarithmic = (d0, d1, r0, r1) => {
  const l = linear(Math.log10(d0), Math.log10(d1), r0, r1);
  return (v) => l(Math.log10(v));
};

// Round steps for about n ticks.
function ticks(d0, d1, n) {
  const raw = (d1 - d0) / n || 1;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = magnitude * ([1, 2, 5, 10].find((m) => m * magnitude >= raw) || 10);
  const out = [];
  for (let v = Math.ceil(d0 / step - 1e-9) * step; v <= d1 + step * 1e-9; v += step) out.push(v);
  return out;
}
function logTicks(d0, d1) {
  const out = [];
  for (let e = Math.ceil(Math.log10(d0) - 1e-9); 10 ** e <= d1 * 1.0001; e++) out.push(10 ** e);
  return out;
}

// A name as long as there is room for; the whole of it is in the tooltip.
const ruler = document.createElement('canvas').getContext('2d');
function clip(name, px) {
  ruler.font = '12px ' + getComputedStyle(document.body).fontFamily;
  if (ruler.measureText(name).width <= px) return name;
  let n = name.length - 1;
  while (n > 3 && ruler.measureText(name.slice(0, n) + '…').width > px) n--;
  return name.slice(0, n) + '…';
}
const share = (v) => +(v * 100).toPrecision(3) + '%';

// Eight hues that stay apart for colour-blind readers; the ninth series is the first one dashed.
const seriesClass = (i) => 's' + (i % 8);
const seriesDash = (i) => ['', '6 3', '2 3', '8 3 2 3'][Math.floor(i / 8) % 4];

function frame(draw, label, caption) {
  const holder = h('div', { class: 'plot' });
  const figure = h('figure', {}, holder, caption && h('figcaption', {}, caption));
  let last = 0;
  const redraw = () => {
    const width = Math.floor(holder.clientWidth);
    if (!width || width === last) return;
    last = width;
    const { height, parts } = draw(width);
    holder.replaceChildren(svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`,
      role: 'group', 'aria-label': label }, parts));
  };
  new ResizeObserver(redraw).observe(holder);
  return figure;
}

const text = (x, y, content, attributes) => svg('text', { x, y, ...attributes }, content);
const line = (x1, y1, x2, y2, attributes) => svg('line', { x1, y1, x2, y2, ...attributes });
const tip = (content) => svg('title', {}, content);

function xAxis(scale, values, format, box, label) {
  return [
    values.map((v) => [
      line(scale(v), box.top, scale(v), box.bottom, { class: 'grid' }),
      text(scale(v), box.bottom + 16, format(v), { class: 'tick', 'text-anchor': 'middle' }),
    ]),
    label && text((box.left + box.right) / 2, box.bottom + 34, label,
      { class: 'axis', 'text-anchor': 'middle' }),
  ];
}
function yAxis(scale, values, format, box, label) {
  return [
    values.map((v) => [
      line(box.left, scale(v), box.right, scale(v), { class: 'grid' }),
      text(box.left - 7, scale(v) + 4, format(v), { class: 'tick', 'text-anchor': 'end' }),
    ]),
    label && text(box.left, box.top - 9, label, { class: 'axis', 'text-anchor': 'start' }),
  ];
}

// --- how many passed, and what became of the others ---

function passBars(models) {
  return frame((width) => {
    const gutter = Math.min(230, width * 0.36), row = 27, top = 4;
    const most = Math.max(1, ...models.map((m) => m.total));
    const x = linear(0, most, gutter, width - 22 - 14 * String(most).length);
    const parts = models.map((m, i) => {
      const y = top + i * row;
      let sum = 0;
      const segments = VERDICTS.filter((v) => m.verdicts[v]).map((v) => {
        const n = m.verdicts[v], x0 = x(sum), w = Math.max(1, x(sum + n) - x0 - 1);
        sum += n;
        return svg('g', {}, tip(`${m.label}: ${n} ${v}`),
          svg('rect', { x: x0, y: y + 3, width: w, height: row - 9, class: 'v-' + v, rx: 2 }),
          w > 9 + 7 * String(n).length &&
            text(x0 + w / 2, y + 17, n, { class: 'on-' + v, 'text-anchor': 'middle' }));
      });
      return svg('g', {},
        text(gutter - 8, y + 17, clip(m.label, gutter - 10),
          { class: 'name', 'text-anchor': 'end' }, ),
        segments,
        text(x(sum) + 6, y + 17, `${m.verdicts.pass || 0}/${m.total}`, { class: 'tick' }),
        tip(m.label));
    });
    return { height: top + models.length * row + 4, parts };
  }, 'Verdicts of each model',
  h('span', { class: 'legend' }, VERDICTS.filter((v) => models.some((m) => m.verdicts[v]))
    .map((v) => h('span', {}, h('i', { class: 'key v-' + v }), v))));
}

// --- step curves: the share of a model's candidates at or above x ---

function curves(series, options) {
  const legend = h('span', { class: 'legend' }, series.map((one) => h('button',
    { type: 'button', 'aria-pressed': 'false', click: (e) => emphasise(e.currentTarget, one.index) },
    h('i', { class: 'key line ' + seriesClass(one.index) }), one.label)));
  let figure = null;
  function emphasise(button, index) {
    const on = button.getAttribute('aria-pressed') !== 'true';
    for (const b of legend.children) b.setAttribute('aria-pressed', String(on && b === button));
    for (const g of figure.querySelectorAll('[data-series]'))
      g.classList.toggle('dim', on && g.dataset.series !== String(index));
  }
  figure = frame((width) => {
    const box = { left: 46, right: width - 20, top: 24, bottom: 236 };
    const x = linear(options.from, options.to, box.left, box.right);
    const top = Math.min(1, Math.max(0.1, Math.ceil(10 * Math.max(...series.map((one) =>
      Math.max(0, ...one.points.map((p) => p[1]))))) / 10));
    const y = linear(0, top, box.bottom, box.top);
    const parts = [
      yAxis(y, ticks(0, top, 5), share, box, options.yLabel),
      xAxis(x, options.ticks, options.format, box, options.xLabel),
      series.map((one) => {
        const path = one.points.map(([px, py], i) => (i
          ? (options.step ? `H${x(px).toFixed(1)}V${y(py).toFixed(1)}`
            : `L${x(px).toFixed(1)},${y(py).toFixed(1)}`)
          : `M${x(px).toFixed(1)},${y(py).toFixed(1)}`)).join('');
        return svg('g', { 'data-series': one.index, class: seriesClass(one.index) },
          tip(one.label + (one.note ? ': ' + one.note : '')),
          svg('path', { d: path, class: 'curve', 'stroke-dasharray': seriesDash(one.index) }),
          !options.step && one.points.map(([px, py]) =>
            svg('circle', { cx: x(px), cy: y(py), r: 3, class: 'dot' },
              tip(`${one.label}: ${options.format(px)} ${percent(py)}`))));
      }),
    ];
    return { height: 276, parts };
  }, options.label, legend);
  return figure;
}

// --- one row per problem: every model's best, the ceiling filled, published figures hollow ---

function ceilings(rows) {
  return frame((width) => {
    const gutter = Math.min(290, width * 0.36), row = 24, top = 22;
    const box = { left: gutter, right: width - 76, top, bottom: top + rows.length * row };
    const most = Math.max(1, ...rows.flatMap((r) => r.points.map((p) => p.value)));
    const x = linear(0, Math.sqrt(most), box.left, box.right);
    const at = (v) => x(Math.sqrt(v));
    const marks = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 4].filter((v) => v <= most);
    const parts = [
      marks.map((v) => [
        line(at(v), top - 4, at(v), box.bottom, { class: v === 1 ? 'roof' : 'grid' }),
        text(at(v), top - 9, share(v), { class: 'tick', 'text-anchor': 'middle' }),
      ]),
      rows.map((r, i) => {
        const y = top + i * row + row / 2;
        const best = r.points.filter((p) => p.cell).reduce((a, b) => (a && a.value >= b.value ? a : b), null);
        return svg('g', {},
          text(gutter - 10, y + 4, clip(r.label, gutter - 12), { class: 'name', 'text-anchor': 'end' }),
          tip(r.problem),
          best && line(at(0), y, at(best.value), y, { class: 'stem' }),
          [...r.points].sort((a, b) => (a === best) - (b === best)).map((p) => (p.cell
            ? svg('a', { href: cellLink(p.cell), 'aria-label': `${p.label}: ${percent(p.value)}` },
              tip(`${p.label}: ${percent(p.value)}`),
              svg('circle', { cx: at(p.value), cy: y, r: p === best ? 5.5 : 4,
                class: p === best ? 'best' : 'other' }))
            : svg('g', {}, tip(`${p.label}, published: ${percent(p.value)}`),
              svg('path', { d: `M${at(p.value)},${y - 5}l5,5l-5,5l-5,-5z`, class: 'published' })))),
          text(width, y + 4, best ? percent(best.value) : 'none', { class: 'tick', 'text-anchor': 'end' }));
      }),
    ];
    return { height: box.bottom + 8, parts };
  }, 'Best peak fraction of each problem');
}

// --- roofline: operations per byte against operations per second, or bytes per second where the
// problem has no contraction to count ---

// Of all classes of arithmetic only those that say something here: plain fp32, bf16 for comparison,
// and the one that the problem is held against (a compute-bound size's floor tells its rate).
function roofsOf(device, points) {
  const measured = device.calibration, sheet = device.datasheet;
  const bounds = points.map((p) => p.bound).filter(finite);
  const held = Object.entries((sheet || measured || {}).tflops || {})
    .filter(([, v]) => v && bounds.some((b) => Math.abs(v * 1e12 / b - 1) < 0.01)).map(([k]) => k);
  const shown = new Set(['fp32', 'bf16', ...held.slice(0, 1)]);
  const of = (rates, bandwidth, name) => rates && bandwidth && { name, bandwidth: bandwidth * 1e9,
    peaks: Object.entries(rates.tflops || {}).filter(([k, v]) => v && shown.has(k)).map(([k, v]) => [k, v * 1e12]) };
  return [of(measured, measured && measured.read_gb_s, 'measured'),
    of(sheet, sheet && sheet.bandwidth_gb_s, 'datasheet')].filter(Boolean);
}

function roofline(points, device) {
  const roofs = roofsOf(device, points);
  const counted = points.filter((p) => p.flops > 0);
  if (!counted.length) return bandwidthRoofline(points, roofs);
  const names = new Map(counted.map((p) => [p.series, p.row]));
  return flopRoofline(counted, roofs, h('span', { class: 'legend' }, [...names].map(([series, name]) =>
    h('span', {}, h('i', { class: 'key ' + seriesClass(series) }), name))));
}

// One name per class, at its higher line, none on top of another.
function roofNames(roofs, x, y) {
  const highest = new Map();
  for (const [name, peak] of roofs.flatMap((r) => r.peaks)) highest.set(name, Math.max(peak, highest.get(name) || 0));
  let last = Infinity;
  return [...highest].sort((a, b) => a[1] - b[1]).map(([name, peak]) => {
    last = Math.min(y(peak) - 5, last - 13);
    return text(x, last, name, { class: 'roofname', 'text-anchor': 'end' });
  });
}

const pointMark = (p, x, y) => svg(p.cell ? 'a' : 'g',
  p.cell ? { href: cellLink(p.cell), 'aria-label': p.label } : {},
  tip(`${p.label}\n${p.note}`),
  svg('circle', { cx: x, cy: y, r: p.current ? 6.5 : 4.5,
    class: 'point ' + seriesClass(p.series) + (p.current ? ' current' : '') }));

function flopRoofline(points, roofs, legend) {
  return frame((width) => {
    const box = { left: 56, right: width - 14, top: 26, bottom: 300 };
    const xs = points.map((p) => p.flops / p.bytes), ys = points.map((p) => p.flops / p.seconds);
    const peaks = roofs.flatMap((r) => r.peaks.map((p) => p[1]));
    const ridge = roofs.flatMap((r) => r.peaks.map((p) => p[1] / r.bandwidth));
    const x0 = 10 ** Math.floor(Math.log10(Math.min(...xs, ...ridge) / 2)),
      x1 = 10 ** Math.ceil(Math.log10(Math.max(...xs, ...ridge) * 2));
    const y0 = 10 ** Math.floor(Math.log10(Math.min(...ys) / 1.5)),
      y1 = 10 ** Math.ceil(Math.log10(Math.max(...ys, ...peaks) * 1.1));
    const x = logarithmic(x0, x1, box.left, box.right), y = logarithmic(y0, y1, box.bottom, box.top);
    const roofLines = roofs.map((r) => {
      const cls = r.name === 'measured' ? 'roof' : 'roof sheet';
      const xEnd = Math.max(0, ...r.peaks.map((p) => p[1])) / r.bandwidth || x1, xStart = Math.max(x0, y0 / r.bandwidth);
      return svg('g', {}, tip(`${r.name}: ${count(r.bandwidth, 'B/s')}, ` + r.peaks.map(([k, v]) => `${k} ${count(v, 'FLOP/s')}`).join(', ')),
        line(x(xStart), y(xStart * r.bandwidth), x(xEnd), y(xEnd * r.bandwidth), { class: cls }),
        r.peaks.filter((p) => p[1] >= y0).map(([, peak]) => line(x(peak / r.bandwidth), y(peak), box.right, y(peak), { class: cls })));
    });
    return { height: 342, parts: [
      yAxis(y, logTicks(y0, y1), (v) => count(v).replace(' ', ' '), box, 'FLOP/s'),
      xAxis(x, logTicks(x0, x1), (v) => String(+v.toPrecision(1)), box, 'FLOP per byte'),
      roofLines, roofNames(roofs, box.right - 2, y),
      points.map((p) => pointMark(p, x(p.flops / p.bytes), y(p.flops / p.seconds))),
    ] };
  }, 'Roofline', legend);
}

function bandwidthRoofline(points, roofs) {
  const rows = [...new Set(points.map((p) => p.row))];
  return frame((width) => {
    const gutter = Math.min(230, width * 0.34), row = 26;
    const box = { left: gutter, right: width - 16, top: 26, bottom: 26 + rows.length * row };
    const most = 1.08 * Math.max(...points.map((p) => p.bytes / p.seconds), ...roofs.map((r) => r.bandwidth));
    const x = linear(0, most, box.left, box.right);
    return { height: box.bottom + 42, parts: [
      xAxis(x, ticks(0, most, width > 500 ? 6 : 3), (v) => count(v / 1e9), box, 'GB/s of compulsory bytes'),
      roofs.map((r) => [
        line(x(r.bandwidth), box.top - 4, x(r.bandwidth), box.bottom,
          { class: r.name === 'measured' ? 'roof' : 'roof sheet' }),
        text(x(r.bandwidth), box.top - 10, r.name, { class: 'roofname', 'text-anchor': 'middle' }),
      ]),
      rows.map((name, i) => text(gutter - 10, box.top + i * row + row / 2 + 4, clip(name, gutter - 12),
        { class: 'name', 'text-anchor': 'end' })),
      points.map((p) => pointMark(p, x(p.bytes / p.seconds), box.top + rows.indexOf(p.row) * row + row / 2)),
    ] };
  }, 'Bandwidth reached');
}

// --- every scored call of one size, a row per process, with median, interval and floor ---

function distribution(size) {
  const runners = size.sample_runner || size.samples.map(() => 0);
  const n = Math.max(...runners) + 1;
  const sorted = [...size.samples].sort((a, b) => a - b);
  // A call that met the scheduler would squeeze the rest into a corner.
  const middle = sorted[Math.floor(sorted.length / 2)];
  const limit = 1.02 * Math.min(4 * middle, Math.max(sorted[Math.floor(sorted.length * 0.98)], size.cold_hi || 0));
  const beyond = sorted.filter((v) => v > limit).length;
  return frame((width) => {
    const row = 24, box = { left: 84, right: width - 16, top: 22, bottom: 22 + n * row };
    const floor = size.floor_us > 0 && size.floor_us > sorted[0] / 3 ? size.floor_us : sorted[0];
    const x0 = Math.min(sorted[0], floor), pad = (limit - x0) * 0.03 || 1;
    const x = linear(Math.max(0, x0 - pad), limit + pad, box.left, box.right);
    return { height: box.bottom + 42, parts: [
      xAxis(x, ticks(Math.max(0, x0 - pad), limit + pad, width > 500 ? 7 : 4), (v) => String(+v.toPrecision(4)), box, 'µs per call, caches cold'),
      finite(size.cold_lo) && svg('rect', { x: x(size.cold_lo), y: box.top, height: box.bottom - box.top,
        width: Math.max(1, x(Math.min(size.cold_hi, limit)) - x(size.cold_lo)), class: 'interval' }),
      finite(size.cold_us) && [line(x(size.cold_us), box.top - 4, x(size.cold_us), box.bottom, { class: 'median' }),
        text(x(size.cold_us), box.top - 8, 'median ' + duration(size.cold_us), { class: 'roofname', 'text-anchor': 'middle' })],
      floor === size.floor_us && [line(x(floor), box.top - 4, x(floor), box.bottom, { class: 'roof' }),
        Math.abs(x(floor) - x(size.cold_us)) > 100 &&
        text(x(floor), box.top - 8, 'floor', { class: 'roofname', 'text-anchor': 'middle' })],
      Array.from({ length: n }, (_, i) => text(box.left - 10, box.top + i * row + row / 2 + 4,
        'process ' + (i + 1), { class: 'tick', 'text-anchor': 'end' })),
      size.samples.map((v, i) => v <= limit && svg('circle', { cx: x(v),
        // spread by a fixed pattern, so that the same record always looks the same
        cy: box.top + runners[i] * row + row / 2 + ((i * 7) % 11 - 5), r: 2.2, class: 'sample ' + seriesClass(runners[i]) })),
      beyond > 0 && text(box.right, box.top - 8, `${beyond} beyond`, { class: 'tick', 'text-anchor': 'end' }),
    ] };
  }, 'Distribution of timed calls');
}
