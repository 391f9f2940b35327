import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';

const text = (from: number) => Array.from({ length: 100_000 }, (_, at) => `[[n${from + at}]] `).join('');

/** Four connections write notes of 100,000 links each, to other names each time. */
export const load: NeighbourLoad = {
  name: 'C6 notes of 100,000 links',
  run: (target, signal) =>
    loops(4, signal, (loop, round) =>
      send(target, 'POST', '/notes', { path: `links ${loop}.md`, content: text(round * 7), mtime: 1 }, signal),
    ),
};
