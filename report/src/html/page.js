'use strict';
// Shows the pair and the numbers of the tile under the pointer.
const tip = document.getElementById('tip');

function watch(map, data) {
  const tiles = new Map(data.tiles.map(([from, to, bytes, count]) => [from * data.side + to, [bytes, count]]));
  const ranks = (tile) => {
    const first = tile * data.ranks;
    const last = Math.min(first + data.ranks, data.size) - 1;
    if (first === last) return `rank ${data.order ? data.order[first] : first}`;
    return data.byNode ? `ranks ${first} to ${last} by node` : `ranks ${first} to ${last}`;
  };
  map.addEventListener('pointermove', (event) => {
    const box = map.getBoundingClientRect();
    const scale = map.viewBox.baseVal.width / box.width;
    const to = Math.floor(((event.clientX - box.left) * scale - data.left) / data.pixels);
    const from = Math.floor(((event.clientY - box.top) * scale - data.top) / data.pixels);
    tip.hidden = from < 0 || to < 0 || from >= data.side || to >= data.side;
    if (tip.hidden) return;
    const [bytes, count] = tiles.get(from * data.side + to) ?? [0, 0];
    tip.textContent = `from ${ranks(from)} to ${ranks(to)}\n` +
      `${bytes.toLocaleString()} bytes in ${count.toLocaleString()} messages or operations`;
    tip.style.left = `${Math.max(0, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${event.clientY + 14}px`;
  });
  map.addEventListener('pointerleave', () => { tip.hidden = true; });
}

const data = JSON.parse(document.getElementById('tiles').textContent);
document.querySelectorAll('svg.map').forEach((map, at) => watch(map, data[at]));

// Sorts a table by the column whose head was clicked.
const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40, PiB: 2 ** 50, EiB: 2 ** 60,
  s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9, '%': 1 };

// The number in a cell such as `1 234`, `5.09 KiB` or `12 %`; the text itself if it is none.
function value(cell) {
  const bar = cell.querySelector('i');
  if (bar) return parseFloat(bar.style.width);
  const text = cell.textContent.trim();
  const parts = /^([\d ]+(?:\.\d+)?)(?: ?([A-Za-z%]+))?$/.exec(text);
  if (text === '') return -1;
  if (!parts || (parts[2] && !(parts[2] in UNITS))) return text;
  return parseFloat(parts[1].replaceAll(' ', '')) * (parts[2] ? UNITS[parts[2]] : 1);
}

function compare(one, other) {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}

function sortBy(table, head, at) {
  const descending = head.getAttribute('aria-sort') !== 'descending';
  table.querySelectorAll('th').forEach((other) => other.setAttribute('aria-sort', 'none'));
  head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [value(row.cells[at]), row]);
  rows.sort(([one], [other]) => (descending ? compare(other, one) : compare(one, other)));
  body.append(...rows.map(([, row]) => row));
}

document.querySelectorAll('table').forEach((table) => {
  table.querySelectorAll('th').forEach((head, at) => {
    head.setAttribute('aria-sort', 'none');
    head.tabIndex = 0;
    head.addEventListener('click', () => sortBy(table, head, at));
    head.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); sortBy(table, head, at); }
    });
  });
});
