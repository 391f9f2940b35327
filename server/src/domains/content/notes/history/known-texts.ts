import { NotevaultError } from '@notevault/protocol/errors.ts';
import { KNOWN_NOTES_MAX, type KnownNote, type KnownNotesRequest } from '@notevault/protocol/sync.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { slicesOf } from '../../../../concurrency/slices.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import { includesRole } from '../../../foundation/access/access.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { notePathOf } from '../notes.mapper.ts';
import { sealed } from '../sealed-note.ts';
import * as store from './versions.store.ts';

/** Maximum number of stored versions of a note that are compared. */
const VERSIONS_MAX = 200;
/** Notes whose versions are read at once. */
const SLICE = 32;

type Reads = Pick<NoteDeps, 'db' | 'entries'>;

/** A text that a client has, and the live note at its path. */
interface Candidate {
  readonly path: string;
  readonly hash: string;
  readonly id: NoteId;
}

/**
 * Returns which texts are those of the live notes at their paths, or of earlier versions of them that the caller may
 * see. Hashes are compared, and no text is opened. Throws `too_many_notes`, a validation error.
 */
export async function knownTexts(
  { db, entries }: Reads,
  vault: OpenVault,
  { notes }: KnownNotesRequest,
): Promise<KnownNote[]> {
  if (notes.length > KNOWN_NOTES_MAX) throw new NotevaultError('too_many_notes', { max: KNOWN_NOTES_MAX });
  const keyed = notes.map(({ path, content_hash: hash }) => {
    const key = entries.pathKey(vault, notePathOf(path, 'notes'));
    return { path, hash, key };
  });
  const rows = await entries.rowsAt(
    db,
    vault.id,
    'note',
    keyed.map(({ key }) => key),
  );
  const rowAt = new Map(rows.map((row) => [row.path_key.toString('hex'), row]));
  const known = new Map<number, KnownNote>();
  const others = new Map<number, Candidate>();
  const yieldIfDue = createYield();
  for (const [index, { path, hash, key }] of keyed.entries()) {
    await yieldIfDue();
    const row = rowAt.get(key.toString('hex'));
    if (row?.version == null) continue;
    const { version } = row;
    const id = row.id as NoteId;
    const isCurrent = hasHash(hash, () => sealed.openMeta(vault, id, row.revision, row.meta));
    if (isCurrent) known.set(index, { path, id, version, current: true });
    else others.set(index, { path, hash, id });
  }
  if (includesRole(vault.role, 'editor'))
    for (const slice of slicesOf([...others], SLICE)) await findVersions(db, vault, slice, known);
  return [...known].sort(([a], [b]) => a - b).map(([, note]) => note);
}

async function findVersions(
  db: Reads['db'],
  vault: OpenVault,
  candidates: readonly (readonly [number, Candidate])[],
  known: Map<number, KnownNote>,
): Promise<void> {
  const ids = [...new Set(candidates.map(([, { id }]) => id))];
  const stored = await db.allMany(store.findNewestVersions, { vault: vault.id, count: VERSIONS_MAX }, ids);
  const versionsOf = Map.groupBy(stored, ({ note_id }) => note_id);
  const yieldIfDue = createYield();
  for (const [index, { path, hash, id }] of candidates) {
    for (const { version, meta } of versionsOf.get(id) ?? []) {
      await yieldIfDue();
      if (!hasHash(hash, () => sealed.openVersion(vault, id, version, meta))) continue;
      known.set(index, { path, id, version, current: false });
      break;
    }
  }
}

/** Whether a sealed row has a hash; one that is damaged has none. */
function hasHash(hash: string, open: () => { readonly hash: string }): boolean {
  try {
    return open().hash === hash;
  } catch (error) {
    if (error instanceof NotevaultError && error.code === 'note_unreadable') return false;
    throw error;
  }
}
