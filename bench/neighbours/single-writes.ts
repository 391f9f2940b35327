import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';

const CONNECTIONS = 500;

/** Five hundred connections write one small note each, again and again. */
export const load: NeighbourLoad = {
  name: 'single writes: 500 connections',
  run: (target, signal) =>
    loops(CONNECTIONS, signal, (loop, round) =>
      send(target, 'POST', '/notes', { path: `s/${loop}.md`, content: `round ${round}\n`, mtime: 1 }, signal),
    ),
};
