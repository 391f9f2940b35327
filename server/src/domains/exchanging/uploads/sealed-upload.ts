import { Attachment } from '@notevault/protocol/attachments.ts';
import { type Static, Type } from 'typebox';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import type { OpenVault } from '../../content/vaults/vaults.ts';
import type { UploadRow } from './uploads.tables.ts';

const text = Type.Union([Type.String(), Type.Null()]);

const Meta = Type.Object({
  path: Type.String(),
  mtime: Type.Union([Type.Number(), Type.Null()]),
  device: text,
  ifMatch: text,
  ifNoneMatch: text,
  metadata: Type.String(),
});
/** The purpose of an upload. */
export type UploadMeta = Static<typeof Meta>;

const Outcome = Type.Object({
  attachment: Attachment,
  /** The slice that ended it, by which its repetition is known. */
  slice: Type.Object({ from: Type.Number(), hash: Type.String() }),
});
export type UploadOutcome = Static<typeof Outcome>;

const sealedMeta = new SealedJson(1, Meta);
const sealedOutcome = new SealedJson(1, Outcome);
const metaContext = (id: string) => ({ kind: 'uploads.meta', row: id, version: 0 });
const outcomeContext = (id: string) => ({ kind: 'uploads.outcome', row: id, version: 0 });

export function sealMeta({ key }: Pick<OpenVault, 'key'>, id: string, meta: UploadMeta): Buffer {
  const { path, mtime, device, ifMatch, ifNoneMatch, metadata } = meta;
  return sealedMeta.seal(key, metaContext(id), { path, mtime, device, ifMatch, ifNoneMatch, metadata });
}

export function sealOutcome({ key }: Pick<OpenVault, 'key'>, id: string, outcome: UploadOutcome): Buffer {
  return sealedOutcome.seal(key, outcomeContext(id), outcome);
}

export function openMeta({ key }: Pick<OpenVault, 'key'>, { id, meta }: Pick<UploadRow, 'id' | 'meta'>): UploadMeta {
  return sealedMeta.open(key, metaContext(id), meta);
}

export function openOutcome(
  { key }: Pick<OpenVault, 'key'>,
  { id, outcome }: Pick<UploadRow, 'id' | 'outcome'>,
): UploadOutcome | null {
  return outcome === null ? null : sealedOutcome.open(key, outcomeContext(id), outcome);
}
