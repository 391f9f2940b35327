import { Type } from 'typebox';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import { SEALED_ACTOR } from '../activity-log/actor.ts';
import type { Actor, FeedEntry } from '../entries/entries.ts';
import { type EntryMeta, type SealedEntry, SealedMeta } from '../entries/sealed-entry.ts';
import type { OpenVault } from '../vaults/vaults.ts';

/** The sealed part of an attachment's row: everything that reveals something about its content. */
export interface AttachmentMeta extends EntryMeta {
  /** Lower-case hex SHA-256 of the bytes. */
  readonly hash: string;
  /** Media type, from the extension. */
  readonly type: string;
  /** Tombstones only: the credential that deleted the attachment. */
  readonly deletedActor?: Actor;
  /** The actor of the last write, move or restore; absent in rows from before actors were stored. */
  readonly actor?: Actor;
}

const attachmentMeta = new SealedMeta(
  new SealedJson(
    1,
    Type.Object({
      path: Type.String(),
      hash: Type.String(),
      type: Type.String(),
      deletedActor: Type.Optional(SEALED_ACTOR),
      actor: Type.Optional(SEALED_ACTOR),
    }),
  ),
  'attachment_unreadable',
);

export interface OpenedAttachment extends Omit<FeedEntry, 'meta'> {
  readonly meta: AttachmentMeta;
}

/** Throws `attachment_unreadable`. */
export function openAttachment(vault: OpenVault, row: FeedEntry): OpenedAttachment {
  return { ...row, meta: openMeta(vault, row) };
}

export function sealMeta(vault: OpenVault, id: string, revision: number, meta: AttachmentMeta): Buffer {
  return attachmentMeta.seal(vault, id, revision, meta);
}

/** Throws `attachment_unreadable`: unreadable data is an error, never empty. */
export function openMeta(vault: OpenVault, row: SealedEntry): AttachmentMeta {
  return attachmentMeta.open(vault, row);
}

export const bytesContext = (blobId: string) => ({ kind: 'attachment_blobs.bytes', row: blobId, version: 0 });

/** Returns the blind index by which equal bytes of a vault are found. */
export function hashKeyOf(vault: OpenVault, hash: string): Buffer {
  return vault.key.blind('attachment hash', hash);
}
