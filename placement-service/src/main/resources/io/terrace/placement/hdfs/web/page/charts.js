'use strict';

/* The two charts over time, drawn by uPlot. Its history is kept here, as the columns of api/history. */
const charts = (() => {
  const COLOURS = { memory: ['#0969da', '#58a6ff'], nvm: ['#8250df', '#d2a8ff'], ssd: ['#1a7f37', '#56d364'],
    disk: ['#9a6700', '#e3b341'], archive: ['#57606a', '#9da7b3'], replica: ['#9a6700', '#e3b341'] };
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const drawn = {};
  let active = true;
  const history = { atMs: [], groups: { used: {}, read: {} } };

  function append(answer) {
    const old = history.atMs.length;
    history.atMs = history.atMs.concat(answer.atMs).slice(-answer.mostSamples);
    const share = {};
    for (const tier of Object.keys(answer.usedBytes)) {
      share[tier] = answer.usedBytes[tier].map((used, i) =>
        answer.capacityBytes[tier][i] > 0 ? 100 * used / answer.capacityBytes[tier][i] : null);
    }
    const rate = {};
    for (const tier of Object.keys(answer.readBytesPerSecond)) {
      const bytes = answer.readBytesPerSecond[tier];
      if (tier !== 'nvm' || answer.usedBytes.nvm || history.groups.read.nvm || bytes.some(value => value > 0)) {
        rate[tier] = bytes.map(value => value / 1048576);
      }
    }
    join(history.groups.used, share, old, answer.mostSamples);
    join(history.groups.read, rate, old, answer.mostSamples);
  }

  function join(columns, added, before, most) {
    for (const name of Object.keys(added)) {
      const known = columns[name] || new Array(before).fill(null);
      columns[name] = known.concat(added[name]).slice(-most);
    }
  }

  function axis(unit) {
    const text = dark.matches ? '#e6edf3' : '#1b1f24';
    const line = dark.matches ? '#3d444d' : '#d0d7de';
    return { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, ...unit };
  }

  /* Hours and minutes of 24, and seconds where the samples are of a few minutes. */
  function clock(seconds, short) {
    return new Date(seconds * 1000).toTimeString().slice(0, short ? 5 : 8);
  }

  function times(u, ticks) {
    return ticks.map(at => clock(at, ticks.length < 2 || ticks[1] - ticks[0] >= 60));
  }

  function draw(id, columns, unit, range) {
    const names = Object.keys(columns);
    const box = document.getElementById(id);
    if (names.length === 0 || history.atMs.length < 2) {
      box.textContent = active ? 'The service takes a sample every five seconds; two make a line.'
        : 'A standby takes no samples; the active NameNode has them.';
      return;
    }
    const data = [history.atMs.map(at => at / 1000), ...names.map(name => columns[name])];
    const looks = names.join() + dark.matches;
    if (drawn[id] && drawn[id].looks === looks) {
      drawn[id].chart.setData(data);
      latest(drawn[id].chart);
      return;
    }
    if (drawn[id]) {
      drawn[id].chart.destroy();
    }
    box.textContent = '';
    const chart = new uPlot({
      width: box.clientWidth, height: 200, cursor: { drag: { x: false, y: false } },
      scales: { y: { range } },
      axes: [axis({ values: times, space: 80 }), axis({ size: 56 })],
      series: [{ label: 'At', value: (u, v) => v === null ? '-' : clock(v, false) }, ...names.map(name => ({
        label: name, stroke: COLOURS[name] ? COLOURS[name][dark.matches ? 1 : 0] : '#888', width: 2,
        value: (u, v) => v === null ? '-' : v.toFixed(1) + ' ' + unit
      }))]
    }, data, box);
    drawn[id] = { chart, looks };
    latest(chart);
  }

  /* The legend has the latest sample while nobody points at another one. */
  function latest(chart) {
    if (chart.cursor.idx === null || chart.cursor.idx === undefined) {
      window.setTimeout(() => chart.setLegend({ idx: history.atMs.length - 1 }), 0);
    }
  }

  function show(isActive) {
    active = isActive;
    redraw();
  }

  function redraw() {
    draw('used-chart', history.groups.used, '%', () => [0, 100]);
    draw('read-chart', history.groups.read, 'MB/s', (u, least, most) => [0, Math.max(1, most * 1.1)]);
  }

  window.addEventListener('resize', () => {
    for (const id of Object.keys(drawn)) {
      drawn[id].chart.setSize({ width: document.getElementById(id).clientWidth, height: 200 });
    }
  });
  dark.addEventListener('change', redraw);

  return { after: () => history.atMs.length ? history.atMs[history.atMs.length - 1] : 0, append, show };
})();
