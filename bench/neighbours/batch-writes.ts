import { loops, type NeighbourLoad, send } from '../kit/neighbour-load.ts';

const CONNECTIONS = 100;
const NOTES = 100;

/** A hundred connections write batches of a hundred small notes. */
export const load: NeighbourLoad = {
  name: 'batch writes: 100 connections, 100 notes each',
  run: (target, signal) =>
    loops(CONNECTIONS, signal, (loop, round) => {
      const notes = Array.from({ length: NOTES }, (_, at) => ({
        path: `batch ${loop}/${round % 5}/${at}.md`,
        content: `# Note ${at}\n\nround ${round}, [[${(at + 1) % NOTES}]] and some words.\n`,
        mtime: 1,
      }));
      return send(target, 'POST', '/notes/batch', { notes }, signal);
    }),
};
