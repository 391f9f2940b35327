import { type LoadTarget, type NeighbourLoad, put, send } from '../kit/neighbour-load.ts';

const NOTES = 15;
const LINKS = 20_000;

/** A note is created and deleted again and again. Its name is the missing target of 15 notes with 20,000 links each. */
export const load: NeighbourLoad = {
  name: 'a name that 15 × 20,000 dangling links wait for comes and goes',
  async prepare(target: LoadTarget) {
    const content = '[[missing]] '.repeat(LINKS);
    for (let at = 0; at < NOTES; at++) await put(target, 'POST', '/notes', { path: `d${at}.md`, content, mtime: 1 });
  },
  async run(target, signal) {
    while (!signal.aborted) {
      await send(target, 'POST', '/notes', { path: 'missing.md', content: 'here\n', mtime: 1 });
      await send(target, 'DELETE', '/notes/missing.md');
    }
  },
};
