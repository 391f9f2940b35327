import { type ErrorCode, NotevaultError } from '@notevault/protocol/errors.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { KeyringError } from '../../ports/keyring/keyring.ts';
import { type Immutable, SealedJson } from '../../ports/keyring/sealed-json.ts';
import type { OpenVault } from '../vaults/vaults.ts';

/** What is sealed of every entry; kinds add to it. */
export interface EntryMeta {
  readonly path: string;
}

/** What it takes to open an entry's meta. */
export interface SealedEntry {
  readonly id: string;
  readonly revision: number;
  readonly meta: Uint8Array;
}

const contextOf = (id: string, revision: number) => ({ kind: 'entries.meta', row: id, version: revision });

/** The sealed part of the rows of one kind. */
export class SealedMeta<Schema extends TSchema> {
  readonly #json: SealedJson<Schema>;
  readonly #unreadable: ErrorCode;

  /** @param unreadable the name clients know damage by. */
  constructor(json: SealedJson<Schema>, unreadable: ErrorCode) {
    this.#json = json;
    this.#unreadable = unreadable;
  }

  seal(vault: Pick<OpenVault, 'key'>, id: string, revision: number, meta: Immutable<Static<Schema>>): Buffer {
    return this.#json.seal(vault.key, contextOf(id, revision), meta);
  }

  /** Throws the error of the kind: what cannot be opened is an error, never empty. */
  open(vault: Pick<OpenVault, 'key'>, { id, revision, meta }: SealedEntry): Static<Schema> {
    try {
      return this.#json.open(vault.key, contextOf(id, revision), meta);
    } catch (error) {
      if (error instanceof KeyringError) throw new NotevaultError(this.#unreadable, {}, error);
      throw error;
    }
  }
}

/** Of folders; that one cannot be opened is a fault of the server, which no client can name a folder by. */
export const folderMeta = new SealedMeta(new SealedJson(1, Type.Object({ path: Type.String() })), 'internal');
