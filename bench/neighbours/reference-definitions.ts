import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';

const DEFINITIONS = 5000;
const text = (from: number) =>
  Array.from({ length: DEFINITIONS }, (_, at) => `[a${from + at}][b${at}]\n[b${at}]: /x${at}.md\n\n`).join('');

/** Four connections write notes of 5,000 reference definitions, to other names each time. */
export const load: NeighbourLoad = {
  name: 'C6 notes of 5,000 reference definitions',
  run: (target, signal) =>
    loops(4, signal, (loop, round) =>
      send(target, 'POST', '/notes', { path: `definitions ${loop}.md`, content: text(round * 7), mtime: 1 }, signal),
    ),
};
