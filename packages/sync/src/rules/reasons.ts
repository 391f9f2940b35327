/**
 * Why something is not synced, by codes, in the words of this package. Those about a file continue a sentence that begins
 * with its path. They are stored and printed as texts; what speaks other languages reads code and values out of them.
 */
export const REASONS = {
  noText: 'is no text in UTF-8',
  sameName: 'has the name of another file here but for the case of letters: rename one of them',
  blocked: 'waits for a name that another file of this list has: rename that one',
  onlyHere: 'is only here, and is not sent: you may read this vault, not change it',
  renameThere: '{fault}: rename it in the vault',
  renameHere: '{fault}: rename it here',
  hiddenName: 'has a hidden name, which is not synced',
  forbiddenCharacter: 'has a {character} in its name, which cannot be on Windows',
  dotAtEnd: 'has a name that ends in a dot or space, which cannot be on Windows',
  deviceName: 'has the name of a device, which cannot be on Windows',
  backslash: 'has a backslash in its name',
  outside: 'is not a path within the folder',
  folderStays: 'is gone in the vault, and stays here for the files in it that are not synced',
  justDeleted: 'was deleted by another device a moment ago, and is sent in a minute if it is still here',
  swapNeedsUpdate: 'exchanges its name with another file, which this server cannot do yet: update the server',
  quota: 'is beyond what the plan allows ({reason})',
  tooLarge: 'is larger than the server takes',
  extension:
    'has an extension that the server does not take unless its operator allows it (NOTEVAULT_ATTACHMENT_EXTENSIONS)',
  mime: 'holds something else than its extension says, which the server does not take',
  refused: 'is refused by the server: {code}',
  damaged:
    'is damaged on the server, which neither gives nor takes it: keep this file, and have the operator restore it',
  linkEnded: 'the link of this device with the vault has ended',
  unknownDevice: 'the server does not know this device any more: sign in again',
  suspended: 'the account of the vault’s owner is suspended, and nothing can be written to it',
  notAllowed: 'the server does not allow it: {code}',
  vaultGone: 'the vault is gone or not shared with you any more',
  broken: 'the connection broke during a download',
  answered: 'the server answered {status}: {code}',
} as const;

export type Values = Readonly<Record<string, string | number>>;

export function reason(code: keyof typeof REASONS, values: Values = {}): string {
  return filled(REASONS[code], values);
}

/** A text with its values. */
export function filled(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => `${values[name] ?? all}`);
}

/** What a text was made from, of these; null if it is none of them. */
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
