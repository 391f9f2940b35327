import type { ObjectKind, ObjectRef } from '../format.ts';

/** Where a backup is written. Nothing of it can be restored until `finish` has resolved. */
export interface BackupTarget extends AsyncDisposable {
  /** A folder for temporary files of this backup, on the disk to which `adopt` may move them. */
  readonly scratch: string;
  /** Whether the target has an object, so that it need not be written again. */
  has(kind: ObjectKind, object: ObjectRef): Promise<boolean>;
  /** Writes an object; one that the target has already, undamaged, is left as it is. */
  put(kind: ObjectKind, hash: string, bytes: Uint8Array): Promise<void>;
  /** Makes a file in `scratch` an object, and removes it there. */
  adopt(kind: ObjectKind, object: ObjectRef, file: string): Promise<void>;
  /** Writes the manifest; when it resolves, the backup survives a power cut. */
  finish(name: string, manifest: string): Promise<void>;
  /** Free bytes of the disk; null if it is not known. */
  freeBytes(): Promise<number | null>;
}
