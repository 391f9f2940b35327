import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { NewPublicLink, PublicLink, PublicLinkMade } from '@notevault/protocol/public-links.ts';
import { NIL_UUID, type NoteId, parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import { type Database, deleteUntil } from '../../../ports/database/database.ts';
import type { Secrets } from '../../content/accounts/accounts.ts';
import type { Folders } from '../../content/entries/entries.ts';
import type { Notes } from '../../content/notes/notes.ts';
import type { OpenVault, Vaults } from '../../content/vaults/vaults.ts';
import type { Principal } from '../../foundation/access/access.ts';
import type { Keys } from '../../foundation/keys/keys.ts';
import { hashOf, newToken } from '../../foundation/tokens/tokens.ts';
import { PasswordGate } from './password-gate.ts';
import * as store from './public-links.store.ts';
import type { PublicLinkRow } from './public-links.tables.ts';

export interface PublicLinksDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'openServer'>;
  readonly clock: Clock;
  readonly vaults: Pick<Vaults, 'findActive' | 'openAsSystem' | 'ownedBy'>;
  readonly notes: Pick<Notes, 'getById' | 'listedById'>;
  readonly folders: Pick<Folders, 'at' | 'entry'>;
  readonly secrets: Secrets;
  readonly publicUrl: string;
  /** Whether this server has public links at all. */
  readonly enabled: boolean;
}

/** Links that a vault may have at once. */
const LINKS_MAX = 1_000;
const USED_EVERY_MS = 60_000;

/** A link that may be opened now, with its vault. */
export interface OpenLink extends Pick<PublicLinkRow, 'id' | 'note_id' | 'folder_id' | 'last_used_at'> {
  readonly vault: OpenVault;
  /** The hash of its password; null without one. */
  readonly password: string | null;
}

/** Public links: what their owners do with them, and finding the one that an address names. Tokens are stored hashed. */
export class PublicLinks {
  readonly gate: PasswordGate;
  readonly #deps: PublicLinksDeps;

  constructor(deps: PublicLinksDeps) {
    this.#deps = deps;
    this.gate = new PasswordGate(deps);
  }

  /** Throws `public_links_off`, `note_not_found`, `folder_not_found`, `too_many_public_links`, `password_too_long`, `validation`. */
  async create(principal: Principal, vault: OpenVault, sent: NewPublicLink): Promise<PublicLinkMade> {
    const { db, clock, secrets, publicUrl, enabled } = this.#deps;
    if (!enabled) throw new NotevaultError('public_links_off');
    const target = await this.#target(vault, sent);
    const id = clock.uuid();
    const now = clock.now();
    const hash = sent.password === undefined ? null : await secrets.hash(sent.password);
    const { raw, hash: tokenHash } = newToken(clock.random, '');
    const row: PublicLinkRow = {
      ...{ id, vault_id: vault.id, token_hash: tokenHash, note_id: target.note_id, folder_id: target.folder_id },
      password: hash === null ? null : vault.key.seal(contextOf(id), Buffer.from(hash)),
      ...{ created_by: principal.userId, created_at: now, last_used_at: null },
      expires_at: sent.expires_in === undefined ? null : now + sent.expires_in * 1000,
    };
    await db.transact(async (handle) => {
      const links = await handle.all(store.listLinks, { vaultId: vault.id, now, limit: LINKS_MAX });
      if (links.length >= LINKS_MAX) throw new NotevaultError('too_many_public_links');
      await handle.run(store.insertLink, row);
    });
    return { link: viewOf(row, target.path), url: `${publicUrl}/s/${raw}` };
  }

  /** The note or folder that a new link is for. Exactly one is named. */
  async #target(vault: OpenVault, { note_id: noteId, folder }: NewPublicLink) {
    if ((noteId === undefined) === (folder === undefined)) throw invalid({ note_id: ['name a note or a folder'] });
    if (noteId !== undefined) {
      const id = parseUuid(noteId);
      if (id === null) throw new NotevaultError('note_not_found');
      const { path } = await this.#deps.notes.getById(vault, id as NoteId);
      return { note_id: id as string, folder_id: null, path };
    }
    const found = await this.#deps.folders.at(vault, folder ?? '');
    if (found === null) throw new NotevaultError('folder_not_found');
    return { note_id: null, folder_id: found.id as string, path: found.path };
  }

  /** Lists the links of a vault that have not expired, oldest first. */
  async list(vault: OpenVault): Promise<PublicLink[]> {
    const { db, clock, notes, folders } = this.#deps;
    const rows = await db.all(store.listLinks, { vaultId: vault.id, now: clock.now(), limit: LINKS_MAX });
    const ids = new Set(rows.flatMap(({ note_id: id }) => (id === null ? [] : [id as NoteId])));
    const listed = await notes.listedById(vault, ids);
    return await Promise.all(
      rows.map(async (row) => {
        const folder = row.folder_id === null ? null : await folders.entry(vault, row.folder_id);
        return viewOf(row, listed.get(row.note_id as NoteId)?.path ?? folder?.path ?? null);
      }),
    );
  }

  /** Ends a link: the next request for it finds nothing. Throws `public_link_not_found`. */
  async end(vault: OpenVault, sent: string): Promise<void> {
    const id = parseUuid(sent);
    const key = { id: id ?? NIL_UUID, vault_id: vault.id };
    const ended = await this.#deps.db.transact((handle) => handle.run(store.deleteLink, key));
    if (ended === 0) throw new NotevaultError('public_link_not_found');
  }

  /** Counts the links of all vaults; NaN if the database cannot tell. */
  async count(): Promise<number> {
    const { db, clock } = this.#deps;
    const counted = await db.get(store.countLinks, { now: clock.now() }).catch(() => undefined);
    return counted?.count ?? Number.NaN;
  }

  /** Counts the links of an account’s vaults, for admins. */
  async countOf(userId: string): Promise<number> {
    const { db, clock, vaults } = this.#deps;
    let count = 0;
    for (const vaultId of await vaults.ownedBy(userOf(userId)))
      count += (await db.all(store.listLinks, { vaultId, now: clock.now(), limit: LINKS_MAX })).length;
    return count;
  }

  /** Ends the links of all vaults of an account, for admins; returns their number. */
  async endAllOf(userId: string): Promise<number> {
    const { db, vaults } = this.#deps;
    let ended = 0;
    for (const vaultId of await vaults.ownedBy(userOf(userId)))
      ended += await db.transact((handle) => handle.run(store.deleteLinksIn, { vault_id: vaultId }));
    return ended;
  }

  /**
   * Finds the link that a token names, and opens its vault. Every reason why there is none has one answer; as much is
   * read in each case. Throws `public_link_not_found`.
   */
  async find(token: string): Promise<OpenLink> {
    const { db, vaults, clock, enabled } = this.#deps;
    const link = await db.get(store.findLink, { hash: hashOf(token), now: clock.now() });
    const vaultId = link?.vault_id ?? (NIL_UUID as VaultId);
    const [row, vault] = await Promise.all([vaults.findActive(db, vaultId), vaults.openAsSystem(vaultId)]);
    const isOffered = enabled && row !== undefined && row.owner_suspended_at === null;
    if (link === undefined || vault === null || !isOffered) throw new NotevaultError('public_link_not_found');
    const { id, note_id, folder_id, last_used_at } = link;
    const password = link.password === null ? null : vault.key.open(contextOf(id), link.password).toString();
    return { id, note_id, folder_id, last_used_at, password, vault };
  }

  /** Records that a page was opened, at most once a minute. A page is shown even if a full disk prevents that. */
  async used({ id, last_used_at: last }: OpenLink): Promise<void> {
    const now = this.#deps.clock.now();
    const before = now - USED_EVERY_MS;
    if (last !== null && last >= before) return;
    try {
      await this.#deps.db.transact((handle) => handle.run(store.touchLink, { id, now, before }));
    } catch (error) {
      if (!(error instanceof NotevaultError)) throw error;
    }
  }

  async sweep(): Promise<void> {
    await deleteUntil(this.#deps.db, store.deleteExpired, this.#deps.clock.now());
  }
}

const contextOf = (id: string) => ({ kind: 'public_links.password', row: id, version: 0 });

const userOf = (id: string) => (parseUuid(id) ?? NIL_UUID) as UserId;

function viewOf(
  row: Pick<PublicLinkRow, 'id' | 'note_id' | 'folder_id' | 'password' | 'created_at' | 'expires_at' | 'last_used_at'>,
  path: string | null,
): PublicLink {
  return {
    id: row.id,
    kind: row.note_id === null ? 'folder' : 'note',
    note_id: row.note_id,
    path,
    has_password: row.password !== null,
    created_at: isoTime(row.created_at),
    expires_at: isoTimeOrNull(row.expires_at),
    last_used_at: isoTimeOrNull(row.last_used_at),
  };
}
