import { applyUpdate, Doc } from 'yjs';
import { TEXT } from './lineage.ts';
import type { LocalCopy } from './local-store.ts';

/** The text of a note as a copy on this device has it. */
export function keptText({ updates }: LocalCopy): string {
  const doc = new Doc();
  try {
    for (const update of updates) applyUpdate(doc, update);
    return doc.getText(TEXT).toString();
  } finally {
    doc.destroy();
  }
}
