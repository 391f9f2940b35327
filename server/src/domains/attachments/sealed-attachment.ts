import { NotevaultError } from '@notevault/protocol/errors.ts';
import { Type } from 'typebox';
import { KeyringError } from '../../ports/keyring/keyring.ts';
import { SealedJson } from '../../ports/keyring/sealed-json.ts';
import type { OpenVault } from '../vaults/vaults.ts';

/** The sealed part of an attachment's row: everything that says something about its content. */
export interface AttachmentMeta {
  readonly path: string;
  /** Lower-case hex SHA-256 of the bytes. */
  readonly hash: string;
  /** Media type, by the extension. */
  readonly type: string;
}

const attachmentMeta = new SealedJson(
  1,
  Type.Object({ path: Type.String(), hash: Type.String(), type: Type.String() }),
);

const contextOf = (id: string, revision: number) => ({ kind: 'attachments.meta', row: id, version: revision });

/** Where a blob's bytes are sealed for. */
export const bytesContext = (blobId: string) => ({ kind: 'attachment_blobs.bytes', row: blobId, version: 0 });

export function sealMeta(vault: OpenVault, id: string, revision: number, meta: AttachmentMeta): Buffer {
  return attachmentMeta.seal(vault.key, contextOf(id, revision), meta);
}

/** Throws `attachment_unreadable`: what cannot be opened is an error, never empty. */
export function openMeta(vault: OpenVault, id: string, revision: number, bytes: Buffer): AttachmentMeta {
  try {
    return attachmentMeta.open(vault.key, contextOf(id, revision), bytes);
  } catch (error) {
    if (error instanceof KeyringError) throw new NotevaultError('attachment_unreadable', {}, error);
    throw error;
  }
}

/** Under which equal bytes of a vault are found. */
export function hashKeyOf(vault: OpenVault, hash: string): Buffer {
  return vault.key.blind('attachment hash', hash);
}
