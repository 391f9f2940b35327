// The mark of UTF-8 is part of the text, so that files are exported byte for byte. That of UTF-16 only says how to decode.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes a note's file: UTF-8, or UTF-16 with a byte order mark, as Notepad on Windows saves it. Returns null for bytes
 * that are neither.
 */
export function decodeText(bytes: Uint8Array): string | null {
  const encoding = utf16Of(bytes);
  try {
    return encoding === null ? utf8.decode(bytes) : new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function utf16Of([first, second, third, fourth]: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Two more zeros make it the mark of UTF-32.
  return first === 0xff && second === 0xfe && (third !== 0 || fourth !== 0) ? 'utf-16le' : null;
}
