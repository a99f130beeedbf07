'use strict';

/* Elements and texts. Everything that comes from the cluster is shown as text (textContent), never as HTML. */
const make = (() => {
  const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

  /* content: a text, an element, or a list of both. */
  function element(tag, content, style) {
    const made = document.createElement(tag);
    if (content !== undefined) {
      made.append(...[content].flat());
    }
    if (style) {
      made.className = style;
    }
    return made;
  }

  function bytes(value) {
    let unit = 0;
    let left = value;
    while (left >= 1024 && unit < UNITS.length - 1) {
      left /= 1024;
      unit++;
    }
    return (unit === 0 || left >= 100 ? left.toFixed(0) : left.toFixed(1)) + ' ' + UNITS[unit];
  }

  function time(ms) {
    const seconds = Math.floor(ms / 1000);
    return ms < 1000 ? ms + ' ms' : seconds < 120 ? seconds + ' s'
      : seconds < 7200 ? Math.floor(seconds / 60) + ' min'
        : seconds < 172800 ? Math.floor(seconds / 3600) + ' h' : Math.floor(seconds / 86400) + ' d';
  }

  /* As placementctl pins writes it, in the viewer's time zone. */
  function day(ms) {
    const two = value => String(value).padStart(2, '0');
    const at = new Date(ms);
    return ms === undefined ? '-' : at.getFullYear() + '-' + two(at.getMonth() + 1) + '-' + two(at.getDate()) + ' '
      + two(at.getHours()) + ':' + two(at.getMinutes());
  }

  const count = value => value.toLocaleString('en');
  const share = (part, whole) => whole === 0 ? '-' : Math.round(100 * part / whole) + ' %';
  const words = text => text.replace(/_/g, ' ');
  const several = (number, one) => count(number) + ' ' + one + (number === 1 ? '' : 's');

  /* A share as a bar, with its number beside it. */
  function bar(part, whole) {
    const filled = element('span');
    filled.style.width = (whole === 0 ? 0 : Math.min(100, 100 * part / whole)) + '%';
    const box = element('span', filled, 'bar');
    box.setAttribute('aria-hidden', 'true');
    return [box, element('span', share(part, whole), 'percent')];
  }

  /* columns: [title, style]; rows: lists of what element() takes as content. Narrow windows show each row as a box. */
  function fill(table, columns, rows, none) {
    table.replaceChildren(table.caption);
    table.className = 'rows';
    const head = table.createTHead().insertRow();
    for (const [title, style] of columns) {
      const cell = element('th', title, style);
      cell.scope = 'col';
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((content, i) => {
        const cell = element('td', content, (columns[i][1] || '') + (content === '-' ? ' none' : ''));
        cell.dataset.title = columns[i][0];
        line.append(cell);
      });
    }
    if (rows.length === 0) {
      const cell = element('td', none || 'None', 'empty');
      cell.colSpan = columns.length;
      body.insertRow().append(cell);
    }
  }

  return { element, bytes, time, day, count, share, words, several, bar, fill };
})();
