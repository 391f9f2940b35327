import { NotevaultError } from '@notevault/protocol/errors.ts';

const LAST = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes base64 (RFC 4648, section 4) as it arrives. Throws `invalid_base64` for anything else, also line breaks. */
export async function* decodeBase64(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held = '';
  for await (const chunk of text) {
    const digits = held + chunk.toString('latin1');
    // The last group is held back, because only the last one may have padding.
    const whole = Math.max(0, Math.floor((digits.length - 1) / 4) * 4);
    held = digits.slice(whole);
    if (whole > 0) yield decodedDigits(digits.slice(0, whole));
  }
  if (!LAST.test(held)) throw new NotevaultError('invalid_base64');
  if (held !== '') yield Buffer.from(held, 'base64');
}

/**
 * Decodes digits several times as fast as checking each one. The decoder skips invalid characters, but accepts
 * base64url.
 */
function decodedDigits(digits: string): Buffer {
  const bytes = Buffer.from(digits, 'base64');
  if (bytes.length !== (digits.length / 4) * 3 || digits.includes('-') || digits.includes('_')) {
    throw new NotevaultError('invalid_base64');
  }
  return bytes;
}

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

export async function* encodeBase64(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const all =
      held.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([held, chunk]);
    const whole = all.length - (all.length % 3);
    held = Buffer.from(all.subarray(whole));
    yield all.toString('base64', 0, whole);
  }
  yield held.toString('base64');
}
