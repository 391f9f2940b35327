import { type LoadTarget, loops, type NeighbourLoad } from '../kit/neighbour-load.ts';

const READERS = 400;
/** A note of 20 KB with a bit of everything. */
const PART = [
  '## Heading',
  'Some *words* and **more** of them, with a [[link]], a [site](https://example.org) and `code`. '.repeat(4),
  '| one | two |\n| --- | ---: |\n| a | 1 |\n| b | 2 |',
  '- [ ] a task\n- [x] another one',
  '```ts\nexport const sum = (a: number, b: number): number => a + b;\n```',
  'A formula: $e^{i\\pi} + 1 = 0$.',
].join('\n\n');
const NOTE = `${PART}\n\n`.repeat(Math.ceil(20_000 / PART.length));

let path = '';

async function post<Answer>({ url, headers }: LoadTarget, at: string, body: object): Promise<Answer> {
  const json = { ...headers, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api${at}`, { method: 'POST', headers: json, body: JSON.stringify(body) });
  return (await answer.json()) as Answer;
}

/** Four hundred readers open one public link again and again, each from a network of its own. */
export const load: NeighbourLoad = {
  name: 'public pages: 400 readers of one link',
  async prepare(target) {
    const { note } = await post<{ note: { id: string } }>(target, '/notes', { path: 'a.md', content: NOTE, mtime: 1 });
    path = new URL((await post<{ url: string }>(target, '/vault/links', { note_id: note.id })).url).pathname;
  },
  run: ({ url }, signal) =>
    loops(READERS, signal, async (loop) => {
      const headers = { 'x-forwarded-for': `10.0.${loop >> 8}.${loop & 255}` };
      const answer = await fetch(url + path, { headers, signal });
      if (answer.body !== null) for await (const _ of answer.body);
      return answer.status;
    }),
};
