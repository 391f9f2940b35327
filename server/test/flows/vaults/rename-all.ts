import assert from 'node:assert/strict';
import type { Database } from '../../../src/ports/database/database.ts';
import { putAll } from '../../kit/notes.ts';
import { startServer } from '../../kit/server.ts';

interface Listed {
  readonly id: string;
  readonly path: string;
  readonly content: string;
  readonly version: number;
  readonly links: { readonly target_note_id: string | null; readonly target_text: string }[];
}

/**
 * Renames notes of a vault and renames them back. All texts and edges must then be as before, and none may be lost in
 * between.
 */
export async function checkRenames(open: () => Promise<Database>, texts: ReadonlyMap<string, string>): Promise<void> {
  await using server = await startServer({ open });
  const { alice } = server;
  await alice.post('/vaults', { name: 'en' });
  const files = [...texts.keys()];
  const notes = [...texts].map(([path, content]) => ({ path, content, mtime: 1 }));
  await putAll({ caller: alice }, notes);
  const read = async (path: string) =>
    (await alice.get(`/notes/${path.split('/').map(encodeURIComponent).join('/')}`)).body as unknown as Listed;
  const shape = async () => {
    const notes = new Map<string, string>();
    for (const path of files) {
      const { id, content, links } = await read(path);
      notes.set(id, JSON.stringify([path, content, links.map((link) => [link.target_text, link.target_note_id])]));
    }
    return notes;
  };
  const before = await shape();
  const idOf = new Map([...before].map(([id, was]) => [JSON.parse(was)[0] as string, id]));
  // All notes on SQLite. PostgreSQL runs the same rules, so a quarter of the notes is enough to test its statements.
  const renamed = server.db.engine === 'sqlite' ? files : files.filter((_, index) => index % 4 === 0);
  for (const path of renamed) {
    const id = idOf.get(path);
    const moved = path.includes('/') ? `Renamed ${path.split('/').at(-1)}` : `Elsewhere/${path}`;
    const inbound = (await alice.get(`/notes/by-id/${id}/backlinks`)).body as { backlinks: unknown[] };
    const there = await alice.post('/notes/rename', { old_path: path, new_path: moved });
    assert.equal(there.status, 200, `${path}: ${JSON.stringify(there.body)}`);
    const after = (await alice.get(`/notes/by-id/${id}/backlinks`)).body as { backlinks: unknown[] };
    assert.equal(after.backlinks.length, inbound.backlinks.length, `backlinks of ${path}`);
    const back = await alice.post('/notes/rename', { old_path: moved, new_path: path });
    assert.equal(back.status, 200, `${path}: ${JSON.stringify(back.body)}`);
  }
  const after = await shape();
  // Compared by hash, because a difference would print whole notes.
  const changed = [...before].filter(([id, was]) => after.get(id) !== was).map(([, was]) => JSON.parse(was)[0]);
  assert.deepEqual(changed, []);
}
