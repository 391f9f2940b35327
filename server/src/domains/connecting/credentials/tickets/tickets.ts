import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import type { Attachment } from '@notevault/protocol/attachments.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { ticketed } from '@notevault/protocol/operations.ts';
import type { NewTicket, Ticket } from '@notevault/protocol/tickets.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import { Type } from 'typebox';
import { whilePermitted } from '../../../../concurrency/while-permitted.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import { type Database, deleteUntil, type WriteHandle } from '../../../../ports/database/database.ts';
import { SealedJson } from '../../../../ports/keyring/sealed-json.ts';
import type { Attachments, OpenFile, UploadInput } from '../../../content/attachments/attachments.ts';
import type { Folders } from '../../../content/entries/entries.ts';
import type { Notes } from '../../../content/notes/notes.ts';
import type { OpenVault, VaultCache, Vaults } from '../../../content/vaults/vaults.ts';
import { checkPermission, checkWho, type Principal } from '../../../foundation/access/access.ts';
import type { Keys } from '../../../foundation/keys/keys.ts';
import { runUnder, Standing, versionsOf } from '../../../foundation/rights/rights.ts';
import { hashOf, newToken } from '../../../foundation/tokens/tokens.ts';
import type { Credentials } from '../credentials.ts';
import { exportVault } from './export.ts';
import * as store from './tickets.store.ts';

export interface ExportDeps {
  readonly clock: Clock;
  readonly cache: Pick<VaultCache, 'snapshot'>;
  readonly notes: Pick<Notes, 'getById' | 'cache'>;
  readonly attachments: Pick<Attachments, 'open' | 'upload' | 'cache'>;
  readonly folders: Pick<Folders, 'listAt'>;
}

export interface TicketDeps extends ExportDeps {
  readonly db: Database;
  readonly keys: Pick<Keys, 'openServer'>;
  readonly credentials: Pick<Credentials, 'recall'>;
  readonly vaults: Pick<Vaults, 'openVault' | 'confirmRights'>;
  /** Public origin of the server, with which the URLs of tickets begin. */
  readonly publicUrl: string;
}

export const TICKET_MS = 5 * 60_000;
const PREFIX = 'nv_tkt_';

type Operation = NewTicket['operation'];

const payload = new SealedJson(
  1,
  Type.Object({
    operation: Type.Unsafe<Operation>(Type.Enum(['attachment.get', 'attachment.put', 'vault.export'])),
    path: Type.String(),
    maxBytes: Type.Union([Type.Number(), Type.Null()]),
    kind: Type.Unsafe<Principal['kind']>(Type.String()),
    credentialId: Type.String(),
    name: Type.String(),
    tier: Type.String(),
  }),
);
const contextOf = (hash: Buffer) => ({ kind: 'tickets.payload', row: hash.toString('hex'), version: 0 });

export type OpenedTicket = { readonly file: OpenFile } | { zip(): Promise<AsyncIterable<Uint8Array>> };

/**
 * Permissions to read or write one attachment, or to read a vault as a zip, by a URL alone, for programs that should
 * not have a credential. They end with the credential that made them.
 */
export class Tickets {
  readonly #deps: TicketDeps;

  constructor(deps: TicketDeps) {
    this.#deps = deps;
  }

  /**
   * Throws `insufficient_access` for an upload with a credential that may only read, `api_key_not_allowed` for an export
   * without a session, `validation`.
   */
  async issue(
    principal: Principal,
    vault: OpenVault,
    { operation, path: sent, max_bytes: max }: NewTicket,
  ): Promise<Ticket> {
    const { db, keys, clock, publicUrl } = this.#deps;
    checkPermission(vault.permission, ticketed[operation].vault);
    checkWho(ticketed[operation], principal);
    const path = operation === 'vault.export' ? '' : pathOf(sent);
    const { raw, hash } = newToken(clock.random, PREFIX);
    const { kind, credentialId, name, tier } = principal;
    const content = { operation, path, maxBytes: max ?? null, kind, credentialId, name, tier };
    const expiresAt = clock.now() + TICKET_MS;
    const sealed = payload.seal(await keys.openServer(), contextOf(hash), content);
    const row = { hash, user_id: principal.userId, vault_id: vault.id, payload: sealed, expires_at: expiresAt };
    await db.transact((handle) => handle.run(store.insertTicket, row));
    const method = operation === 'attachment.put' ? 'PUT' : 'GET';
    return { url: `${publicUrl}/api/tickets/${raw}`, method, expires_at: isoTime(expiresAt) };
  }

  /** The attachment may be read until the ticket expires, the zip of a vault once. Throws `ticket_not_found`. */
  async open(token: string): Promise<OpenedTicket> {
    const { operation, principal, vault, path } = await this.#valid(token, ['attachment.get', 'vault.export']);
    const checked = (pieces: AsyncIterable<Uint8Array>) =>
      whilePermitted(pieces, () => this.#recheck(principal, vault), this.#deps.clock.elapsed);
    if (operation === 'attachment.get') {
      const file = await this.#deps.attachments.open(vault, path);
      return { file: { ...file, bytes: async (range) => checked(await file.bytes(range)) } };
    }
    const zip = async () => {
      await this.#use(token);
      return checked(exportVault(this.#deps, vault));
    };
    return { zip };
  }

  /** Stores the bytes of an upload; the ticket is used up, also if they are refused. Throws `ticket_not_found`. */
  async upload(
    token: string,
    give: (path: string) => UploadInput & { mtime(): number | undefined },
  ): Promise<Attachment> {
    const { attachments } = this.#deps;
    const { principal, vault: opened, path, maxBytes } = await this.#valid(token, ['attachment.put']);
    await this.#use(token);
    const subject = { userId: principal.userId, vaultId: opened.id };
    const standing = new Standing(subject, versionsOf(principal, opened), async () => {
      const current = await this.#open(principal, opened.id, 'attachment.put');
      return versionsOf(current.principal, current.vault);
    });
    const vault = { ...opened, standing };
    const actor = { kind: principal.kind, name: principal.name, userId: principal.userId };
    const error = () => new NotevaultError('body_too_large', { max: maxBytes });
    const limit = maxBytes === null ? {} : { limit: { bytes: maxBytes, error } };
    const check = () => this.#deps.vaults.confirmRights(standing);
    const checked = () => {
      const given = give(path);
      return { ...given, ...limit, bytes: whilePermitted(given.bytes, check, this.#deps.clock.elapsed) };
    };
    return runUnder(standing, () => attachments.upload({ vault, actor, device: null }, checked));
  }

  /** Deletes the tickets of a person for a vault that is taken away from them. */
  async forgetVault(handle: WriteHandle, userId: UserId, vaultId: VaultId): Promise<void> {
    await handle.run(store.deleteTicketsOf, { user_id: userId, vault_id: vaultId });
  }

  async sweep(): Promise<void> {
    const { db, clock } = this.#deps;
    await deleteUntil(db, store.deleteExpired, clock.now());
  }

  /** Uses a ticket up. Throws `ticket_not_found` when it was used already. */
  async #use(token: string): Promise<void> {
    const used = await this.#deps.db.transact((handle) => handle.run(store.deleteTicket, { hash: hashOf(token) }));
    if (used === 0) throw new NotevaultError('ticket_not_found');
  }

  /** Throws `ticket_not_found` once the maker of a ticket may not read the vault any more. */
  async #recheck(principal: Principal, { id }: OpenVault): Promise<void> {
    const current = await this.#deps.credentials.recall(principal);
    if (current === null) throw new NotevaultError('ticket_not_found');
    await this.#deps.vaults.openVault(current, id, 'read');
  }

  /** Throws `ticket_not_found`, whatever the reason for which the ticket may not be used now. */
  async #valid(token: string, wanted: readonly Operation[]) {
    const { db, keys, clock } = this.#deps;
    const hash = hashOf(token);
    const row = await db.get(store.findTicket, { hash, now: clock.now() });
    if (row === undefined) throw new NotevaultError('ticket_not_found');
    const { operation, path, maxBytes, ...maker } = payload.open(await keys.openServer(), contextOf(hash), row.payload);
    if (!wanted.includes(operation)) throw new NotevaultError('ticket_not_found');
    const made = principalFor(row.user_id, row.vault_id, operation, maker);
    return { operation, path, maxBytes, ...(await this.#open(made, row.vault_id, operation)) };
  }

  /** The maker of a ticket and its vault as they are now. Throws `ticket_not_found`. */
  async #open(made: Principal, vaultId: VaultId, operation: Operation) {
    const { credentials, vaults } = this.#deps;
    const principal = await credentials.recall(made);
    if (principal === null) throw new NotevaultError('ticket_not_found');
    const vault = await vaults.openVault(principal, vaultId, ticketed[operation].vault).catch((error: unknown) => {
      throw error instanceof NotevaultError && error.code !== 'unavailable'
        ? new NotevaultError('ticket_not_found')
        : error;
    });
    return { principal, vault };
  }
}

type Maker = Pick<Principal, 'kind' | 'credentialId' | 'name' | 'tier'>;

/** The credential that made a ticket, with no more than the ticket permits. */
function principalFor(userId: UserId, vaultId: VaultId, operation: Operation, maker: Maker): Principal {
  if (maker.kind === 'session') return { ...maker, userId };
  const vaults = new Map([[vaultId, ticketed[operation].vault]]);
  return { ...maker, userId, scope: { vaults, elsewhere: 'none' } };
}

function pathOf(sent: string | undefined): string {
  if (sent === undefined) throw invalid({ path: ['is required'] });
  try {
    return normalizePath(sent);
  } catch (error) {
    if (error instanceof PathError) throw invalid({ path: [error.reason] });
    throw error;
  }
}
