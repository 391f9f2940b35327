import type { Attachment } from '@notevault/protocol/attachments.ts';
import type { WriteContext } from '../../entries/entries.ts';
import { isConditional, type Precondition, UNCONDITIONAL } from '../../entries/precondition.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { checkExpected } from '../attachments.mapper.ts';
import type { AttachmentDeps } from '../attachments.ts';
import { put } from './put.ts';
import { checkEnabled, type StoredUpload, storeUpload, type UploadInput } from './upload.ts';

/** An upload with its stored bytes. */
export interface StartedUpload<Upload extends UploadInput> {
  readonly received: StoredUpload;
  readonly upload: Upload;
}

export async function startUpload<Upload extends UploadInput>(
  deps: AttachmentDeps,
  vault: OpenVault,
  request: () => Upload | Promise<Upload>,
): Promise<StartedUpload<Upload>> {
  checkEnabled(vault);
  const upload = await request();
  return { received: await storeUpload(deps, vault, upload), upload };
}

export async function uploadAttachment(
  deps: AttachmentDeps,
  context: WriteContext<Attachment>,
  request: () => UploadInput & { mtime(): number | undefined },
  expected: Precondition = UNCONDITIONAL,
): Promise<Attachment> {
  const checked = async () => {
    const upload = request();
    await checkNow(deps, context.vault, upload.path(), expected);
    return upload;
  };
  const { received, upload } = await startUpload(deps, context.vault, checked);
  await using held = received;
  return await put(deps, context, held, upload.mtime(), expected);
}

/** Throws `version_conflict` when the attachment at a path does not meet the precondition now. */
async function checkNow(
  { db, entries }: AttachmentDeps,
  vault: OpenVault,
  path: string | null,
  expected: Precondition,
): Promise<void> {
  if (path === null || !isConditional(expected)) return;
  const [row] = await entries.rowsAt(db, vault.id, 'attachment', [entries.pathKey(vault, path)]);
  checkExpected(vault, row, expected);
}
