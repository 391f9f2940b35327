import { normalizeNotePath, normalizePath, PathError } from '@notevault/note-text/paths.ts';
import type { SkipReason } from '../progress.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** The upper half of code page 437, in which old programs wrote names. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ';

/** The name of a file: UTF-8, also of programs that do not say so, else code page 437. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : (CP437[byte - 128] ?? '?'))).join('');
  }
}

/** The path of a file in the vault, or why it has none. */
export type Place = { readonly path: string } | { readonly refused: SkipReason };

/**
 * Decides where a file of an archive belongs in a vault. A name that leads out of the folder into which it is unpacked
 * is refused, not repaired: no honest program writes one.
 *
 * @param root the folder that names lose; empty for none.
 */
export function vaultPathOf(name: string, root = ''): Place {
  if (/^[/\\]/.test(name) || /^[A-Za-z]:/.test(name)) return { refused: 'unsafe_path' };
  const whole = normalizedPlace(name, normalizePath);
  const stored = 'refused' in whole ? whole : storedPathOf(nameBelow(root, whole.path));
  if ('refused' in stored) return stored;
  const segments = stored.path.split('/');
  const isHidden = segments.some((segment) => segment.startsWith('.')) || segments[0] === '__MACOSX';
  return isHidden ? { refused: 'hidden' } : stored;
}

/** Normalizes the path that a vault's own list gives to a file, which may be hidden. */
export function storedPathOf(listed: string): Place {
  return normalizedPlace(listed, isNote(listed) ? normalizeNotePath : normalizePath);
}

function normalizedPlace(name: string, normalize: (raw: string) => string): Place {
  try {
    return { path: normalize(name) };
  } catch (error) {
    if (error instanceof PathError) return { refused: 'unsafe_path' };
    throw error;
  }
}

/** The name of a file without the root folder, if it is in it. */
export function nameBelow(root: string, name: string): string {
  const end = name.indexOf('/');
  return root !== '' && name.slice(0, end).normalize('NFC') === root ? name.slice(end + 1) : name;
}

export function isNote(path: string): boolean {
  return /\.md$/i.test(path);
}
