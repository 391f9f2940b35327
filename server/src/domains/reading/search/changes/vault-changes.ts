import { isTagName } from '@notevault/note-text/rename-tag.ts';
import type { TextChange } from '@notevault/note-text/text-change.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { NOTE_BYTES_MAX } from '@notevault/protocol/notes.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import {
  CHANGED_NOTES_MAX,
  type RenameTag,
  type ReplaceText,
  type VaultChange,
} from '@notevault/protocol/vault-changes.ts';
import type { PagePosition, PropertyQuery, QueryRow } from '@notevault/search-index/properties/query.ts';
import { FairSemaphore } from '../../../../concurrency/semaphore.ts';
import { slicesBySize } from '../../../../concurrency/slices.ts';
import { currentTenant } from '../../../../concurrency/tenant.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import { VAULT_CHANGES } from '../../../../config/limits.ts';
import type { WriteContext } from '../../../content/entries/entries.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import { type FieldErrors, folderOfRequest } from '../query/search-request.ts';
import type { VaultQuery } from '../query/vault-query.ts';
import type { SearchDeps } from '../search.ts';
import { TransferList } from '../worker/transfer-list.ts';
import type { ChangedPlaces, Page, QueryAnswer } from '../worker/worker-api.ts';

/** Notes that are looked through together: some 20 ms of the search thread. */
const READ_SLICE = { count: 64, bytes: 256 * 1024 };
/** Notes that are written together: a turn in the queue of the vault, which others share. */
const WRITE_SLICE = { count: 8, bytes: 128 * 1024 };
/** Candidates read at once from the index. */
const PAGE = 2000;
/** Maximum attempts to change a note that others write meanwhile. */
const ROUNDS_MAX = 10;

/** A note in which a text may have to change. */
interface Candidate {
  readonly id: NoteId;
  readonly size: number;
}

/** Changes a text or a tag in all notes of a vault. */
export class VaultChanges {
  readonly #deps: SearchDeps;
  readonly #index: VaultQuery;
  readonly #permits = new FairSemaphore(VAULT_CHANGES);

  constructor(deps: SearchDeps, index: VaultQuery) {
    this.#deps = deps;
    this.#index = index;
  }

  /**
   * Previews a change or carries it out: each note as by a separate write, a few at a time, so that other writers run
   * in between and their text is kept. Throws `plan_changed`, `too_many_notes`, `note_too_large`, `invalid_cursor`.
   */
  run(context: WriteContext<VaultChange>, request: CheckedChange): Promise<VaultChange> {
    return this.#permits.run(currentTenant(), () => this.#run(context, request));
  }

  async #run(context: WriteContext<VaultChange>, { change, folder, dryRun, plan: named }: CheckedChange) {
    const { vault, inTransaction } = context;
    const found = await this.#find(vault, change, folder);
    const plan = planOf(vault, change, found);
    if (!dryRun && named !== plan) throw new NotevaultError('plan_changed');
    const changed = dryRun ? 0 : await this.#write(context, change, found);
    const notes = found.map(({ path, count, excerpts }) => ({ path, count, excerpts: [...excerpts] }));
    const result: VaultChange = { plan, notes, changed };
    await this.#deps.db.transact(async (handle) => inTransaction?.(handle, result));
    return result;
  }

  async #find(vault: OpenVault, change: TextChange, folder: string | null): Promise<ChangedPlaces[]> {
    const found: ChangedPlaces[] = [];
    for await (const page of this.#candidates(vault, change, folder)) {
      for (const slice of slicesBySize(page, READ_SLICE, ({ size }) => size)) {
        // The places are found again when they are written: keeping those of thousands of notes takes much memory.
        for (const each of await this.#placesIn(vault, change, slice))
          found.push({ ...each, places: new Uint32Array() });
        if (found.length > CHANGED_NOTES_MAX) throw new NotevaultError('too_many_notes', { max: CHANGED_NOTES_MAX });
      }
    }
    if (found.some(({ bytesAfter }) => bytesAfter > NOTE_BYTES_MAX)) throw new NotevaultError('note_too_large');
    return found;
  }

  /** The notes that the index does not rule out, by path. */
  async *#candidates(vault: OpenVault, change: TextChange, folder: string | null): AsyncGenerator<Candidate[]> {
    const query: PropertyQuery = {
      where: [],
      match: 'all',
      folder,
      tags: change.kind === 'tag' ? [change.from] : null,
      columns: ['file.size'],
      sort: [{ by: 'file.path', descending: false }],
      zone: 'UTC',
    };
    let after: PagePosition | null = null;
    for (;;) {
      const page: Page<PagePosition> = { after, limit: PAGE };
      const { rows, next }: QueryAnswer = await this.#index.ask(vault, (index) =>
        this.#deps.worker.request('query', { ...index, query, page, links: null }),
      );
      const found = JSON.parse(Buffer.from(rows).toString()) as QueryRow[];
      yield found.map(({ id, values: [size] }) => ({ id: id as NoteId, size: Number(size) }));
      if (next === null) return;
      after = next;
    }
  }

  /** Finds the places in the current texts of some notes; notes without any are left out. */
  async #placesIn(vault: OpenVault, change: TextChange, notes: readonly Candidate[]): Promise<ChangedPlaces[]> {
    const { db, worker } = this.#deps;
    const ids = notes.map(({ id }) => id);
    const rows = await db.read((handle) => this.#deps.notes.sealedOf(handle, vault, ids));
    const transfer = new TransferList();
    const posted = rows.map((row) => transfer.addNote(row));
    return worker.request('placesOf', { key: vault.key.share(0), notes: posted, change }, transfer);
  }

  async #write(context: WriteContext<VaultChange>, change: TextChange, found: readonly ChangedPlaces[]) {
    const { notes } = this.#deps;
    const { vault } = context;
    const { replacement } = change;
    const yieldIfDue = createYield();
    let changed = 0;
    const all = found.map(({ id, bytesAfter }) => ({ id: id as NoteId, size: bytesAfter }));
    for (const slice of slicesBySize(all, WRITE_SLICE, ({ size }) => size)) {
      await yieldIfDue();
      let left: readonly Candidate[] = slice;
      for (let round = 1; left.length > 0; round++) {
        if (round > ROUNDS_MAX) throw new NotevaultError('unavailable');
        const now = await this.#placesIn(vault, change, left);
        const edits = now.map(({ id, hash, places }) => ({ id: id as NoteId, hash, places, replacement }));
        if (edits.length === 0) break;
        const unwritten = await notes.replacePlaces(context, edits);
        changed += edits.length - unwritten.size;
        left = left.filter(({ id }) => unwritten.has(id));
      }
    }
    return changed;
  }
}

/** Returns a MAC that identifies a planned change: the replacement, and the texts of the notes with places. */
function planOf(vault: OpenVault, change: TextChange, found: readonly ChangedPlaces[]): string {
  const texts = found.map(({ id, path, hash }) => [id, path, hash]);
  return vault.key.mac('vault change', JSON.stringify([change, texts])).toString('base64url');
}

/** A change that was checked, and which notes it may touch. */
export interface CheckedChange {
  readonly change: TextChange;
  /** Null for all. */
  readonly folder: string | null;
  readonly dryRun: boolean;
  /** Null for a dry run. */
  readonly plan: string | null;
}

const TEXT_MAX = 1_000;
const REPLACEMENT_MAX = 10_000;
const TAG_MAX = 255;

/** Throws a validation error. */
export function checkRenameTag({ from: sentFrom, to: sentTo, ...rest }: RenameTag): CheckedChange {
  const errors: FieldErrors = {};
  const [from, to] = [sentFrom.trim().replace(/^#/, ''), sentTo.trim().replace(/^#/, '').normalize('NFC')];
  if (from === '' || from.length > TAG_MAX) errors.from = ['must be a tag'];
  if (!isTagName(to)) errors.to = ['must be a name that a tag can have'];
  return checked({ kind: 'tag', from, replacement: to }, null, rest, errors);
}

/** Throws a validation error. */
export function checkReplaceText(request: ReplaceText): CheckedChange {
  const errors: FieldErrors = {};
  const { match_case: matchCase, whole_words: wholeWords, folder: sent } = request;
  const [text, replacement] = [request.text.toWellFormed(), request.replacement.toWellFormed()];
  if (text === '' || text.length > TEXT_MAX) errors.text = [`must have 1 to ${TEXT_MAX} characters`];
  if (replacement.length > REPLACEMENT_MAX) errors.replacement = [`must have at most ${REPLACEMENT_MAX} characters`];
  const folder = folderOfRequest(sent ?? null, errors);
  const options = { matchCase: matchCase ?? false, wholeWords: wholeWords ?? false };
  return checked({ kind: 'text', text, replacement, ...options }, folder, request, errors);
}

function checked(
  change: TextChange,
  folder: string | null,
  { dry_run: dryRun, plan }: Pick<RenameTag, 'dry_run' | 'plan'>,
  errors: FieldErrors,
): CheckedChange {
  if (dryRun !== true && plan == null) errors.plan = ['must be the plan of a dry run'];
  if (Object.keys(errors).length > 0) throw invalid(errors);
  return { change, folder, dryRun: dryRun === true, plan: plan ?? null };
}
