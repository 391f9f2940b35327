import { joinPath } from '@notevault/note-text/paths.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { FOLDER_NAMES, FOLDERS_PREFERENCE, readFolder } from '@notevault/protocol/folder-choice.ts';
import {
  type DailyNote,
  OPENED_NOTES_MAX,
  PREFERENCES_BYTES_MAX,
  type Preferences,
} from '@notevault/protocol/personal.ts';
import type { NoteId, UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { Type } from 'typebox';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../../ports/database/database.ts';
import type { SealContext, SealingKey } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Entries } from '../entries/entries.ts';
import type { Notes } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './personal.store.ts';

export interface PersonalDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'open'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly accounts: Pick<Accounts, 'lockUser'>;
  readonly entries: Pick<Entries, 'folderAt' | 'pathKey' | 'rowsAt'>;
  readonly notes: Pick<Notes, 'listedById'>;
}

const storedPreferences = new SealedJson(1, Type.Record(Type.String(), Type.Unknown()));
const storedOpened = new SealedJson(1, Type.Array(Type.Tuple([Type.String(), Type.Number()])));

/** Manages a person's own data: preferences and the recently opened notes, across their devices. */
export class Personal {
  readonly #deps: PersonalDeps;

  constructor(deps: PersonalDeps) {
    this.#deps = deps;
  }

  /** Throws `unauthorized` when the account no longer exists. */
  async preferences(userId: UserId): Promise<Preferences> {
    return (await this.#readPreferences(this.#deps.db, userId, await this.#keyOf(userId))).value;
  }

  /**
   * Merges fields into the preferences: the last write of a field wins, and null removes it. Resolves to all of them.
   * Throws `validation` if they would be larger than `PREFERENCES_BYTES_MAX`.
   */
  async changePreferences(userId: UserId, change: Preferences): Promise<Preferences> {
    const { db, accounts } = this.#deps;
    const key = await this.#keyOf(userId);
    return await db.transact(async (handle) => {
      // So that two devices that change different fields at once keep both.
      await accounts.lockUser(handle, userId);
      const { value, version } = await this.#readPreferences(handle, userId, key);
      const merged = new Map(Object.entries(value));
      for (const [name, setting] of Object.entries(change)) {
        if (setting === null) merged.delete(name);
        else merged.set(name, setting);
      }
      const next: Preferences = Object.fromEntries(merged);
      if (Buffer.byteLength(JSON.stringify(next)) > PREFERENCES_BYTES_MAX) {
        throw invalid({ preferences: [`must have at most ${PREFERENCES_BYTES_MAX} bytes of JSON`] });
      }
      const data = storedPreferences.seal(key, preferencesAt(userId, version + 1), next);
      await handle.run(store.putPreferences, { user_id: userId, data, version: version + 1 });
      return next;
    });
  }

  /** Returns where the daily note of a day is or belongs. Throws a validation error for what is no date. */
  async dailyNote(userId: UserId, vault: OpenVault, date?: string): Promise<DailyNote> {
    const { db, clock, entries } = this.#deps;
    const day = date ?? new Date(clock.now()).toISOString().slice(0, 10);
    if (!isDay(day)) throw invalid({ date: ['must be a date as YYYY-MM-DD'] });
    const path = joinPath(await this.#dailyFolder(userId, vault), `${day}.md`);
    const [row] = await entries.rowsAt(db, vault.id, 'note', [entries.pathKey(vault, path)]);
    return { path, note_id: row?.id ?? null };
  }

  /** The chosen folder, else an existing one that has the name of one of the app's languages, else the English name. */
  async #dailyFolder(userId: UserId, vault: OpenVault): Promise<string> {
    const { db, entries } = this.#deps;
    const chosen = (await this.preferences(userId))[FOLDERS_PREFERENCE] as { readonly daily?: unknown } | undefined;
    const [english = ''] = FOLDER_NAMES.daily;
    const folder = readFolder(chosen?.daily);
    for (const name of folder === null ? FOLDER_NAMES.daily : [folder]) {
      const existing = await entries.folderAt(db, vault, name);
      if (existing !== null) return existing.path;
    }
    return folder ?? english;
  }

  /** Returns the notes of a vault that the person opened, with times, the latest first. Deleted notes are left out. */
  async opened(userId: UserId, vault: OpenVault) {
    const { db, notes } = this.#deps;
    const { value } = await this.#readOpened(db, userId, vault.id, await this.#keyOf(userId));
    const listed = await notes.listedById(vault, new Set(value.map(([id]) => id as NoteId)));
    return value.flatMap(([id, openedAt]) => {
      const note = listed.get(id as NoteId);
      return note === undefined ? [] : [{ note, openedAt }];
    });
  }

  /** Throws `note_not_found`. */
  async recordOpened(userId: UserId, vault: OpenVault, id: NoteId): Promise<void> {
    const { db, accounts, notes, clock } = this.#deps;
    const key = await this.#keyOf(userId);
    if (!(await notes.listedById(vault, new Set([id]))).has(id)) throw new NotevaultError('note_not_found');
    await db.transact(async (handle) => {
      await accounts.lockUser(handle, userId);
      const { value, version } = await this.#readOpened(handle, userId, vault.id, key);
      const others = value.filter(([other]) => other !== id);
      const next: [string, number][] = [[id, clock.now()], ...others.slice(0, OPENED_NOTES_MAX - 1)];
      const data = storedOpened.seal(key, openedAt(userId, vault.id, version + 1), next);
      const row = { user_id: userId, vault_id: vault.id, data, version: version + 1 };
      await handle.run(store.putOpened, row);
    });
  }

  /** Forgets which notes of a vault a person opened, when it is taken away from them. */
  async forgetVault(handle: WriteHandle, userId: UserId, vaultId: VaultId): Promise<void> {
    await handle.run(store.deleteOpened, { user_id: userId, vault_id: vaultId });
  }

  async #readPreferences(handle: ReadHandle, userId: UserId, key: SealingKey) {
    const row = await handle.get(store.findPreferences, { user_id: userId });
    if (row === undefined) return { value: {}, version: 0 };
    return { value: storedPreferences.open(key, preferencesAt(userId, row.version), row.data), version: row.version };
  }

  async #readOpened(handle: ReadHandle, userId: UserId, vaultId: VaultId, key: SealingKey) {
    const row = await handle.get(store.findOpened, { user_id: userId, vault_id: vaultId });
    if (row === undefined) return { value: [], version: 0 };
    return { value: storedOpened.open(key, openedAt(userId, vaultId, row.version), row.data), version: row.version };
  }

  async #keyOf(userId: UserId): Promise<SealingKey> {
    const key = await this.#deps.keys.open({ kind: 'user', id: userId });
    if (key === null) throw new NotevaultError('unauthorized');
    return key;
  }
}

function preferencesAt(userId: UserId, version: number): SealContext {
  return { kind: 'preferences.data', row: userId, version };
}

function openedAt(userId: UserId, vaultId: VaultId, version: number): SealContext {
  return { kind: 'opened_notes.data', row: `${userId}.${vaultId}`, version };
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
