import { normalizePath, PathError } from '@notevault/note-text/paths.ts';
import type { SkipReason } from '../progress.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** The upper half of code page 437, in which old programs wrote names. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■ ';
const NESTED = /\.(?:zip|jex|tar|tgz|gz|bz2|xz|zst|7z|rar)$/i;

/** The name of a file: UTF-8, also of programs that do not say so, else code page 437. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : (CP437[byte - 128] ?? '?'))).join('');
  }
}

/**
 * Decides where a file of an archive belongs in a vault. A name that leads out of the folder into which it is unpacked
 * is refused, not repaired: no honest program writes one.
 */
export function vaultPathOf(name: string): { readonly path: string } | { readonly refused: SkipReason } {
  if (/^[/\\]/.test(name) || /^[A-Za-z]:/.test(name)) return { refused: 'unsafe_path' };
  let path: string;
  try {
    path = normalizePath(name);
  } catch (error) {
    if (error instanceof PathError) return { refused: 'unsafe_path' };
    throw error;
  }
  const segments = path.split('/');
  if (segments.some((segment) => segment.startsWith('.')) || segments[0] === '__MACOSX') return { refused: 'hidden' };
  if (isNote(path) && segments[0]?.toLowerCase() === 'by-id') return { refused: 'unsafe_path' };
  return NESTED.test(path) ? { refused: 'archive' } : { path };
}

export function isNote(path: string): boolean {
  return /\.md$/i.test(path);
}
