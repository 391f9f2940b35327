import { isCanvas } from '@notevault/note-text/canvas/strings.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { BlobId } from '@notevault/protocol/values/ids.ts';
import { KeyringError } from '../../../../ports/keyring/keyring.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { AttachmentDeps } from '../attachments.ts';
import { bytesContext } from '../sealed-attachment.ts';

/** Maximum bytes of a canvas whose references are read; a larger one is treated like any other file. */
const CANVAS_BYTES_MAX = 10 * MB;

export interface StoredBytes {
  readonly blob_id: string | null;
  readonly size_bytes: number;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text of a canvas; null for one that is too large, damaged or no UTF-8. */
export async function canvasText(
  { blobs }: Pick<AttachmentDeps, 'blobs'>,
  vault: OpenVault,
  { blob_id: blob, size_bytes: size }: StoredBytes,
): Promise<string | null> {
  if (blob === null || size > CANVAS_BYTES_MAX) return null;
  const key = { vaultId: vault.id, blobId: blob as BlobId };
  const range = { start: 0, end: size };
  try {
    const bytes = await vault.key.openStream(bytesContext(blob), size, range, (sealed) => blobs.read(key, sealed));
    const pieces: Buffer[] = [];
    // The next piece may overwrite the one before.
    for await (const piece of bytes) pieces.push(Buffer.from(piece));
    return decoded(Buffer.concat(pieces));
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Returns the blind names that a canvas refers to, once its bytes are stored; null for a file that is no canvas. */
export async function namesIn(deps: AttachmentDeps, vault: OpenVault, path: string, stored: StoredBytes) {
  if (!isCanvas(path)) return null;
  const text = await canvasText(deps, vault, stored);
  return text === null ? [] : deps.hooks.canvasNames(vault, text);
}

/** Maximum names that a short transaction looks up. */
const MANY_NAMES = 500;

export function priorityFor(names: readonly Buffer[] | null): 'bulk' | 'normal' {
  return (names?.length ?? 0) > MANY_NAMES ? 'bulk' : 'normal';
}
