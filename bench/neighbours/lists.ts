import { type LoadTarget, loops, type NeighbourLoad, put, send } from '../kit/neighbour-load.ts';

const NOTES = 20_000;
const READERS = 50;
const PATHS = ['/vault/tree', '/sync/manifest', '/folders/list?folder=big', '/tags', '/folders', '/attachments'];

/** Fifty readers request every list of a vault of 20,000 notes. */
export const load: NeighbourLoad = {
  name: 'lists: 50 readers of tree, manifest, folder, tags over 20,000 notes',
  async prepare(target: LoadTarget) {
    for (let at = 0; at < NOTES; at += 100) {
      const notes = Array.from({ length: 100 }, (_, index) => ({
        path: `big/a note with a name of some length ${at + index}.md`,
        content: `# ${at + index}\n\n#tag${(at + index) % 500}\n`,
        mtime: 1,
      }));
      await put(target, 'POST', '/notes/batch', { notes });
    }
  },
  run: (target, signal) =>
    loops(READERS, signal, (loop, round) =>
      send(target, 'GET', PATHS[(loop + round) % PATHS.length] ?? '', undefined, signal),
    ),
};
