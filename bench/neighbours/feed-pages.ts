import { type LoadTarget, loops, type NeighbourLoad, put, send } from '../kit/neighbour-load.ts';

const NOTES = 200;
const NOTE_KB = 90;
const READERS = 100;

/** C4: a hundred readers request pages of the change feed with all contents, again and again. */
export const load: NeighbourLoad = {
  name: 'C4 feed pages: 100 readers of 200 notes of 90 KB',
  async prepare(target: LoadTarget) {
    const line = 'A line of a long note, with some words in it that are not all the same as in others.\n';
    for (let at = 0; at < NOTES; at += 20) {
      const notes = Array.from({ length: 20 }, (_, index) => ({
        path: `long/note ${at + index}.md`,
        content: `# ${at + index}\n\n${line.repeat(Math.ceil((NOTE_KB * 1024) / line.length))}`,
        mtime: 1,
      }));
      await put(target, 'POST', '/notes/batch', { notes });
    }
  },
  run: (target, signal) =>
    loops(READERS, signal, () => send(target, 'GET', '/sync/changes?limit=500&fields=all', undefined, signal)),
};
