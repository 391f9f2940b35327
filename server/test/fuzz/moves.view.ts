import { ancestorsOf, folderOf, foldPath } from '@notevault/note-text/paths.ts';
import { Type } from 'typebox';
import type { SealingKey } from '../../src/ports/keyring/keyring.ts';
import { MasterKeyring } from '../../src/ports/keyring/master-key.ts';
import { SealedJson } from '../../src/ports/keyring/sealed-json.ts';
import type { Raw, Row } from '../kit/database/raw-sql.ts';
import type { Caller, Headed } from '../kit/person.ts';
import type { World } from './moves.world.ts';

/** The path of an entry, the only part of its sealed data that is needed here. */
const meta = new SealedJson(1, Type.Object({ path: Type.String() }));

/** The state of a vault between two requests. */
export interface View extends World {
  /** By source and index of the link: the note or attachment to which it points. */
  readonly edges: ReadonlyMap<string, string>;
  readonly seq: number;
}

/**
 * Reads a vault directly from the database, because reading every note through the server after every step would take
 * most of the time.
 */
export class Viewer {
  readonly #raw: Raw;
  readonly #key: SealingKey;
  readonly #vault: string;

  private constructor(raw: Raw, key: SealingKey, vault: string) {
    this.#raw = raw;
    this.#key = key;
    this.#vault = vault;
  }

  static async of(raw: Raw, masterKey: Buffer, vault: string): Promise<Viewer> {
    const [row] = await raw.all('select * from data_keys where owner_id = $1', vault);
    const wrapped = { masterKeyId: String(row?.master_key_id), bytes: bytes(row?.wrapped) };
    const keyring = new MasterKeyring(masterKey, () => Buffer.alloc(0));
    return new Viewer(raw, keyring.openDataKey({ kind: 'vault', id: vault }, wrapped, 0), vault);
  }

  async look(): Promise<View> {
    const of = (table: string) => this.#raw.all(`select * from ${table} where vault_id = $1`, this.#vault);
    const [entries, links, feeds] = [await of('entries'), await of('links'), await of('vault_feeds')];
    const ofKind = (kind: string) => entries.filter((row) => row.kind === kind);
    const [notes, files, folders] = [ofKind('note'), ofKind('attachment'), ofKind('folder')];
    const named = folders.map((row) => ({ id: String(row.id), made: row.explicit === 1, name: this.#path(row) }));
    return {
      notes: notes
        .filter((row) => row.deleted_at === null)
        .map((row) => ({ id: String(row.id), path: this.#path(row) })),
      files: files
        .filter((row) => row.deleted_at === null)
        .map((row) => ({ id: String(row.id), path: this.#path(row) })),
      gone: notes.filter((row) => row.deleted_at !== null).map((row) => String(row.id)),
      folders: named.map(({ name }) => name),
      made: named.filter(({ made }) => made),
      edges: new Map(
        links
          .map((link) => ({ link, target: link.target_note_id ?? link.target_attachment_id }))
          .filter(({ target }) => target !== null)
          .map(({ link, target }) => [`${link.source_id} ${link.ord}`, String(target)]),
      ),
      seq: Number(feeds[0]?.change_seq),
    };
  }

  #path(row: Row): string {
    const place = { kind: 'entries.meta', row: String(row.id), version: Number(row.revision) };
    return meta.open(this.#key, place, bytes(row.meta)).path;
  }
}

/** Compares the server's folders and counts with the entries at their paths; returns the differences in words. */
export async function foldersWrong(caller: Caller, headers: Headed, vault: string, view: View): Promise<string[]> {
  const faults: string[] = [];
  const { folders } = (await caller.get('/folders', headers)).body;
  const counts = new Map<string, number>([['', 0]]);
  for (const path of [
    ...[...view.notes, ...view.files].map(({ path }) => path),
    ...view.made.map(({ name }) => `${name}/`),
  ]) {
    for (const folder of ancestorsOf(path)) counts.set(folder, counts.get(folder) ?? 0);
  }
  for (const { path } of view.notes) counts.set(folderOf(path), (counts.get(folderOf(path)) ?? 0) + 1);
  const made = new Map(view.made.map(({ id, name }) => [name, id]));
  const wanted = [...counts].map(([name, count]) => {
    const parent = name === '' ? null : (made.get(folderOf(name)) ?? null);
    return { name, id: made.get(name) ?? null, parent_id: parent, count };
  });
  wanted.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (JSON.stringify(folders) !== JSON.stringify(wanted)) {
    faults.push(`the folders are ${JSON.stringify(folders)} instead of ${JSON.stringify(wanted)}`);
  }
  const said = (await caller.get(`/vaults/${vault}`)).body.vault;
  const [notes, files] = [view.notes.length, view.files.length];
  if (said.note_count !== notes) faults.push(`the vault counts ${said.note_count} notes and has ${notes}`);
  if (said.attachment_count !== files) faults.push(`the vault counts ${said.attachment_count} files and has ${files}`);
  const paths = new Set([...view.notes, ...view.files].map(({ path }) => foldPath(path)));
  if (paths.size < notes + files) faults.push('two notes or files are at one path');
  return faults;
}

function bytes(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}
