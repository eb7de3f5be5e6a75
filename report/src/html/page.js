'use strict';
// Shows the pair and the numbers of the tile under the pointer.
const tip = document.getElementById('tip');

function watch(map, data) {
  const tiles = new Map(data.tiles.map(([from, to, bytes, count]) => [from * data.side + to, [bytes, count]]));
  const ranks = (tile) => {
    const first = tile * data.ranks;
    const last = Math.min(first + data.ranks, data.size) - 1;
    return first === last ? `${first}` : `${first} to ${last}`;
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
    tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - 330)}px`;
    tip.style.top = `${event.clientY + 14}px`;
  });
  map.addEventListener('pointerleave', () => { tip.hidden = true; });
}

const data = JSON.parse(document.getElementById('tiles').textContent);
document.querySelectorAll('svg.map').forEach((map, at) => watch(map, data[at]));
