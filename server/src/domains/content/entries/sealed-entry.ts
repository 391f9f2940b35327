import type { ErrorCode } from '@notevault/protocol/errors.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { type Immutable, SealedJson } from '../../../ports/keyring/sealed-json.ts';
import { openedOr } from '../../foundation/keys/keys.ts';
import type { OpenVault } from '../vaults/vaults.ts';

/** The sealed data of every entry; kinds add fields. */
export interface EntryMeta {
  readonly path: string;
}

/** The fields that are needed to unseal an entry's meta. */
export interface SealedEntry {
  readonly id: string;
  readonly revision: number;
  readonly meta: Uint8Array;
}

const contextOf = (id: string, revision: number) => ({ kind: 'entries.meta', row: id, version: revision });

/** Seals and unseals the meta of one kind's rows. */
export class SealedMeta<Schema extends TSchema> {
  readonly #json: SealedJson<Schema>;
  readonly #unreadable: ErrorCode;

  /** @param unreadable the error code for damaged data. */
  constructor(json: SealedJson<Schema>, unreadable: ErrorCode) {
    this.#json = json;
    this.#unreadable = unreadable;
  }

  seal(vault: Pick<OpenVault, 'key'>, id: string, revision: number, meta: Immutable<Static<Schema>>): Buffer {
    return this.#json.seal(vault.key, contextOf(id, revision), meta);
  }

  /** Throws the error of the kind: unreadable data is an error, never empty. */
  open(vault: Pick<OpenVault, 'key'>, { id, revision, meta }: SealedEntry): Static<Schema> {
    return openedOr(this.#unreadable, () => this.#json.open(vault.key, contextOf(id, revision), meta));
  }
}

/** The meta of folders. Damage is an internal error, because clients have no error code for a folder. */
export const folderMeta = new SealedMeta(new SealedJson(1, Type.Object({ path: Type.String() })), 'internal');
