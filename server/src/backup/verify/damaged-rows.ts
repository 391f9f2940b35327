import { setImmediate } from 'node:timers/promises';
import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import * as keys from '../../domains/foundation/keys/keys.store.ts';
import { type Database, pagesOf, rowsOf } from '../../ports/database/database.ts';
import { type Keyring, KeyringError, type SealContext, type SealingKey } from '../../ports/keyring/keyring.ts';
import * as store from './damaged-rows.store.ts';

/** A row with a value that cannot be opened. Its path is sealed too, so only its id is certain. */
export interface DamagedRow {
  readonly vault: VaultId;
  readonly id: string;
  readonly kind: 'note' | 'attachment' | 'folder';
  /** The part that does not open. `row` is path and title; without them the other parts cannot be reached. */
  readonly part: 'row' | 'text' | 'document' | 'edits' | `version ${number}`;
}

export interface Damage {
  /** How many parts of rows were opened. */
  readonly opened: number;
  /** Number of parts that do not open. */
  readonly damaged: number;
  /** The first of these. */
  readonly named: readonly DamagedRow[];
  readonly vaults: ReadonlySet<VaultId>;
}

/** How many damaged parts are named; the others are only counted. */
const NAMED_MAX = 100;
/** Rows per read; few where rows have texts, because each may be some megabytes. */
const ROWS = 500;
const TEXTS = 16;

type Value = readonly [place: SealContext, bytes: Uint8Array];

/** A part of a row, damaged if one of its values does not open. */
interface Part extends Omit<DamagedRow, 'vault'> {
  readonly values: readonly Value[];
}

/**
 * Opens every row of every vault, with texts, documents and versions, and yields what does not open; vaults without a
 * key were erased. @param progress called after each page, with how many parts were tried.
 */
export async function findDamagedRows(
  db: Database,
  keyring: Keyring,
  progress: (parts: number) => void = () => undefined,
): Promise<Damage> {
  const named: DamagedRow[] = [];
  const vaults = new Set<VaultId>();
  let [opened, damaged] = [0, 0];
  const next = (last?: { id: VaultId }) => ({ after: last?.id ?? (NIL_UUID as VaultId), limit: ROWS });
  for await (const { id: vault } of rowsOf(db, store.findVaults, next)) {
    const key = await keyOf(db, keyring, vault);
    if (key === null) continue;
    for await (const page of partsOf(db, vault)) {
      for (const { values, ...row } of page) {
        if (values.every((value) => opens(key, value))) opened += 1;
        else {
          damaged += 1;
          vaults.add(vault);
          if (named.length < NAMED_MAX) named.push({ vault, ...row });
        }
      }
      progress(opened + damaged);
      // Reads of SQLite may never leave the current turn of the event loop.
      await setImmediate();
    }
  }
  return { opened, damaged, named, vaults };
}

export function damageLines({ damaged, named }: Damage): string[] {
  const lines = named.map(({ vault, id, kind, part }) => {
    return `${part === 'row' ? '' : `${part} of `}${kind} ${id} in vault ${vault}`;
  });
  return damaged > named.length ? [...lines, `and ${damaged - named.length} more`] : lines;
}

function opens(key: SealingKey, [place, bytes]: Value): boolean {
  try {
    key.open(place, bytes);
    return true;
  } catch (error) {
    if (error instanceof KeyringError) return false;
    throw error;
  }
}

async function keyOf(db: Database, keyring: Keyring, id: VaultId): Promise<SealingKey | null> {
  const owner = { kind: 'vault', id } as const;
  const key = await db.get(keys.findKey, owner);
  if (key === undefined) return null;
  try {
    return keyring.openDataKey(owner, { masterKeyId: key.master_key_id, bytes: key.wrapped }, 0);
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}

async function* partsOf(db: Database, vault: VaultId): AsyncGenerator<Part[]> {
  const from = (last: { id: string } | undefined, limit: number) => ({ vault, after: last?.id ?? NIL_UUID, limit });
  for await (const page of pagesOf(db, store.findEntries, (last) => from(last, ROWS))) {
    yield page.map(({ id, kind, revision, meta }) => {
      return { id, kind, part: 'row', values: [[{ kind: 'entries.meta', row: id, version: revision }, meta]] };
    });
  }
  for await (const page of pagesOf(db, store.findBodies, (last) => from(last, TEXTS))) {
    yield page.flatMap(({ id, version, content, doc }) => [
      notePart(id, 'text', [{ kind: 'notes.content', row: id, version }, content]),
      ...(doc === null ? [] : [notePart(id, 'document', [{ kind: 'notes.doc', row: id, version }, doc])]),
    ]);
  }
  const versions = pagesOf(db, store.findVersions, (last) => ({ ...from(last, TEXTS), version: last?.version ?? 0 }));
  for await (const page of versions) {
    yield page.map(({ id, version, meta, content, snapshot }) =>
      notePart(
        id,
        `version ${version}`,
        [{ kind: 'note_versions.meta', row: id, version }, meta],
        [{ kind: 'notes.content', row: id, version }, content],
        [{ kind: 'note_versions.snapshot', row: id, version }, snapshot],
      ),
    );
  }
  const updates = pagesOf(db, store.findUpdates, (last) => ({
    ...from(last, TEXTS),
    update: last?.update ?? NIL_UUID,
  }));
  for await (const page of updates) {
    yield page.map(({ id, update, payload }) =>
      notePart(id, 'edits', [{ kind: 'note_updates.payload', row: `${id}:${update}`, version: 0 }, payload]),
    );
  }
}

function notePart(id: string, part: DamagedRow['part'], ...values: Value[]): Part {
  return { id, kind: 'note', part, values };
}
