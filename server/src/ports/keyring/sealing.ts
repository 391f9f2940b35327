import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type KeyOwner, KeyringError, type SealContext, type SealingKey } from './keyring.ts';
import { streamSealing } from './streams.ts';

const PLAIN = 1;
const ZSTD = 2;
const HEADER_BYTES = 5;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** IVs fetched together: fetching random bytes costs a quarter of a short seal, however few they are. */
const IVS = 64;
/** Below this size, starting zstd (25 µs each way, as long as sealing 40 KB) costs more than the saved bytes. */
const COMPRESS_FROM_BYTES = 4096;

/** HKDF-SHA-256 (RFC 5869) of a data key or the master key; without salt, as the input is uniformly random already. */
export function subkey(secret: Buffer | KeyObject, info: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), info, 32)));
}

/**
 * Makes the sealing key of an owner. A sealed value is: format (1 byte: plain or zstd), key generation (4 bytes, big
 * endian), IV (12), ciphertext, tag (16). Format, generation, owner and context are bound as associated data.
 */
export function sealingKey(
  dataKey: Buffer | KeyObject,
  owner: KeyOwner,
  generation: number,
  random: (bytes: number) => Buffer,
): SealingKey {
  const sealKeys = new Map<number, KeyObject>();
  const streamKeys = new Map<number, KeyObject>();
  const blindKeys = new Map<string, KeyObject>();
  const sealKey = (of: number) => cached(sealKeys, of, () => subkey(dataKey, `notevault seal ${of}`));
  const streamKey = (of: number) => cached(streamKeys, of, () => subkey(dataKey, `notevault seal streams ${of}`));
  const blindKey = (purpose: string) => cached(blindKeys, purpose, () => subkey(dataKey, `notevault blind ${purpose}`));
  const ownerName = `${owner.kind}\0${owner.id}`;

  let ivs: Buffer = Buffer.alloc(0);
  const nextIv = () => {
    if (ivs.length === 0) ivs = random(IVS * IV_BYTES);
    const iv = ivs.subarray(0, IV_BYTES);
    ivs = ivs.subarray(IV_BYTES);
    return iv;
  };
  const mac = (purpose: string, value: string) =>
    createHmac('sha256', blindKey(purpose)).update(value, 'utf8').digest();

  return {
    ...streamSealing(streamKey, ownerName, generation, random),
    mac,
    // A copy, because indexes are kept by the thousand, and a digest has memory of its own.
    blind: (purpose, value) => Buffer.from(mac(purpose, value).subarray(0, 16)),
    share: () => ({ owner, generation, dataKey: Buffer.isBuffer(dataKey) ? createSecretKey(dataKey) : dataKey }),
    seal(context, plain) {
      const { format, body } = compressed(plain);
      const head = Buffer.allocUnsafe(HEADER_BYTES);
      head.writeUInt8(format, 0);
      head.writeUInt32BE(generation, 1);
      const iv = nextIv();
      const cipher = createCipheriv('aes-256-gcm', sealKey(generation), iv);
      cipher.setAAD(boundTo(head, ownerName, context));
      const sealed = cipher.update(body);
      cipher.final();
      return Buffer.concat([head, iv, sealed, cipher.getAuthTag()]);
    },
    open(context, bytes) {
      const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      try {
        const head = sealed.subarray(0, HEADER_BYTES);
        const iv = sealed.subarray(HEADER_BYTES, HEADER_BYTES + IV_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', sealKey(head.readUInt32BE(1)), iv, {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(boundTo(head, ownerName, context));
        decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
        const body = decipher.update(sealed.subarray(HEADER_BYTES + IV_BYTES, sealed.length - TAG_BYTES));
        decipher.final();
        return head.readUInt8(0) === ZSTD ? decompressed(body) : body;
      } catch (cause) {
        throw new KeyringError('damaged_value', `a sealed value of ${context.kind} cannot be opened`, cause);
      }
    },
  };
}

function compressed(plain: Uint8Array): { format: number; body: Uint8Array } {
  if (plain.byteLength < COMPRESS_FROM_BYTES) return { format: PLAIN, body: plain };
  // Knowing the size beforehand, zstd sets up smaller tables.
  const body = zstdCompressSync(plain, { pledgedSrcSize: plain.byteLength });
  return body.byteLength < plain.byteLength ? { format: ZSTD, body } : { format: PLAIN, body: plain };
}

/** Decompresses in one piece: with the usual pieces of 16 KB, more time goes into the pieces than into zstd. */
function decompressed(body: Buffer): Buffer {
  return zstdDecompressSync(body, { chunkSize: Math.max(16_384, 4 * body.byteLength) });
}

function boundTo(head: Buffer, ownerName: string, context: SealContext): Buffer {
  const text = `${ownerName}\0${context.kind}\0${context.row}\0${context.version}`;
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + Buffer.byteLength(text));
  head.copy(bytes);
  bytes.write(text, HEADER_BYTES, 'utf8');
  return bytes;
}

function cached<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
