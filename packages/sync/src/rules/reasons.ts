/**
 * Reasons why something is not synced, by code. A reason about a file continues a sentence that begins with the file's
 * path. Reasons are stored and printed as English texts; clients in other languages parse code and values out of them.
 */
export const REASONS = {
  noText: 'is not UTF-8 text',
  sameName: 'has the same name as another file in this folder, except for upper and lower case: rename one of them',
  blocked: 'waits for the name of another file in this list: rename that file',
  onlyHere: 'is only in this folder and not uploaded: you have read-only access to this vault',
  renameThere: '{fault}: rename it in the vault',
  renameHere: '{fault}: rename it here',
  hiddenName: 'has a hidden name, which is not synced',
  forbiddenCharacter: 'has a {character} in its name, which Windows does not allow',
  dotAtEnd: 'has a name that ends in a dot or space, which Windows does not allow',
  deviceName: 'has the name of a device, which Windows does not allow',
  backslash: 'has a backslash in its name',
  outside: 'is not a path within the folder',
  folderStays: 'was deleted in the vault, but stays here because it contains files that are not synced',
  justDeleted: 'was just deleted by another device, and is uploaded in a minute if it still exists here',
  swapNeedsUpdate: 'swaps its name with another file, which this server does not support yet: update the server',
  quota: 'exceeds the plan’s limits ({reason})',
  tooLarge: 'is larger than the server allows',
  extension: 'has an extension that the server’s operator has not allowed (NOTEVAULT_ATTACHMENT_EXTENSIONS)',
  mime: 'has content that does not match its extension, so the server refuses it',
  refused: 'was refused by the server: {code}',
  damaged: 'is damaged on the server and cannot be synced: keep this file, and ask the operator to restore it',
  linkEnded: 'this device was unlinked from the vault',
  unknownDevice: 'the server no longer knows this device: sign in again',
  suspended: 'the vault’s owner is suspended, so nothing can be written to the vault',
  notAllowed: 'the server does not allow it: {code}',
  vaultGone: 'the vault was deleted or is no longer shared with you',
  broken: 'the connection broke during a download',
  answered: 'the server answered {status}: {code}',
} as const;

export type Values = Readonly<Record<string, string | number>>;

export function reason(code: keyof typeof REASONS, values: Values = {}): string {
  return filled(REASONS[code], values);
}

/** Replaces the placeholders of a text with values. */
export function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => `${values[name] ?? all}`);
}

/** Finds the reason that a text was filled from, and its values; null if it matches none. */
export function readReason<Code extends string>(
  text: string,
  reasons: Readonly<Record<Code, string>>,
): { readonly code: Code; readonly values: Readonly<Record<string, string>> } | null {
  for (const code of Object.keys(reasons) as Code[]) {
    const parts = reasons[code].split(/\{(\w+)\}/);
    const pattern = parts.map((part, at) =>
      at % 2 === 1 ? `(?<${part}>.+)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    );
    const found = new RegExp(`^${pattern.join('')}$`, 's').exec(text);
    if (found !== null) return { code, values: { ...found.groups } };
  }
  return null;
}
