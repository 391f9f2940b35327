/** Names of files that common file systems cannot hold. A vault may have them: its paths are no files. */

const FORBIDDEN = /[<>:"|?*\\]/;
const DOTS_AT_END = /[. ]+$/;
/** Names that no Windows file may have, whatever its extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(?:\..*)?$/i;

/** Why Windows cannot hold a name. */
export type NameFault =
  | { readonly kind: 'character'; readonly character: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'device' };

/** Returns why Windows cannot hold a file or folder of a name; null when it can. */
export function nameFault(name: string): NameFault | null {
  const character = FORBIDDEN.exec(name)?.[0];
  if (character !== undefined) return { kind: 'character', character };
  if (DOTS_AT_END.test(name)) return { kind: 'end' };
  return DEVICE.test(name) ? { kind: 'device' } : null;
}

/** Returns the nearest name that every common file system can hold. */
export function portableName(name: string): string {
  const safe = name.replace(new RegExp(FORBIDDEN, 'g'), '_').replace(DOTS_AT_END, (end) => '_'.repeat(end.length));
  return DEVICE.test(safe) ? `_${safe}` : safe;
}
