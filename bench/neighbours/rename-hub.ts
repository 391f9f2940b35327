import { type LoadTarget, type NeighbourLoad, put, send } from '../kit/neighbour-load.ts';

const NOTES = 15;
const LINKS = 20_000;

/** C5: a note to which 15 others have 20,000 links each is renamed, and renamed back. */
export const load: NeighbourLoad = {
  name: 'C5 rename of a note with 15 × 20,000 links to it',
  async prepare(target: LoadTarget) {
    await put(target, 'POST', '/notes', { path: 'hub.md', content: '# Hub\n', mtime: 1 });
    const content = `${'[[hub]] '.repeat(19).trim()}\n${'[[hub]] '.repeat(LINKS - 19)}`;
    for (let at = 0; at < NOTES; at++) await put(target, 'POST', '/notes', { path: `s${at}.md`, content, mtime: 1 });
  },
  async run(target, signal) {
    for (let at = 0; !signal.aborted; at++) {
      const [from, to] = at % 2 === 0 ? ['hub', 'hub2'] : ['hub2', 'hub'];
      await send(target, 'POST', '/notes/rename', { old_path: `${from}.md`, new_path: `${to}.md` }, null);
    }
  },
};
