import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Answer, Caller } from '../kit/person.ts';

/** A text that is neither in a folder nor the present one of a note, and where it is kept. */
export interface KeptCopy {
  readonly at: string;
  readonly text: string;
}

/** The texts in the trash of a machine, and of files that were on their way there. */
export function trashedCopies(name: string, root: string, state: string): KeptCopy[] {
  const copies: KeptCopy[] = [];
  for (const id of readdirSync(state)) {
    const [folder, database] = [join(state, id, 'trash'), join(state, id, 'trash.sqlite')];
    if (!existsSync(database)) continue;
    using db = new DatabaseSync(database, { readOnly: true });
    const rows = db.prepare('select id, path, reason from trashed').all() as Record<'id' | 'path' | 'reason', string>[];
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    for (const file of readdirSync(folder)) {
      const { path, reason } = rowOf.get(file) ?? { path: 'an unknown path', reason: 'unknown' };
      copies.push({
        at: `in the trash of ${name}, from ${path} (${reason})`,
        text: readFileSync(join(folder, file), 'utf8'),
      });
    }
  }
  const temporary = join(root, '.notevault/tmp');
  for (const file of existsSync(temporary) ? readdirSync(temporary) : [])
    copies.push({ at: `on its way to the trash of ${name}`, text: readFileSync(join(temporary, file), 'utf8') });
  return copies;
}

/** The texts of former versions of a vault's notes, and of what is in its trash, which is restored for that. */
export async function vaultCopies(caller: Caller, vaultId: string): Promise<KeptCopy[]> {
  const vault = { 'x-vault-id': vaultId };
  const copies: KeptCopy[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: Answer = await caller.get(`/trash${cursor && `?cursor=${cursor}`}`, vault);
    const { items, next_cursor } = body;
    for (const { id, type, path } of items) {
      const to = `restored/${id} ${type === 'note' ? '.md' : '.txt'}`;
      const { status } = await caller.post(`/trash/${id}/restore`, { path: to }, vault);
      if (status !== 200 || type === 'note') continue;
      const text = (await caller.get(`/attachments/${to}`, vault)).bytes.toString();
      copies.push({ at: `in the trash of the vault, from ${path}`, text });
    }
    cursor = next_cursor;
  }
  const { notes } = (await caller.get('/sync/manifest', vault)).body;
  for (const { id, path } of notes) {
    const { versions } = (await caller.get(`/notes/by-id/${id}/versions`, vault)).body;
    for (const { version } of versions) {
      const { content } = (await caller.get(`/notes/by-id/${id}/versions/${version}`, vault)).body;
      if (content !== undefined) copies.push({ at: `in version ${version} of ${path}`, text: content });
    }
  }
  return copies;
}
