import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { TUS_VERSION } from '@notevault/protocol/upload-limits.ts';
import { type Precondition, preconditionOf } from '../../content/entries/precondition.ts';
import { pathFrom } from '../../content/entries/request-paths.ts';

/** Returns a header of a request by its lower-case name. */
type HeaderOf = (name: string) => string | null;

/** The fields that the headers of a creation announce. */
export interface UploadFields {
  readonly path: string;
  readonly length: number;
  /** Epoch seconds; null for the time at which the upload ends. */
  readonly mtime: number | null;
  readonly device: string | null;
  /** The condition of the write: the content hash that the attachment has, or `*`. */
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
  /** The metadata as they were sent. */
  readonly metadata: string;
}

const PAIRS_MAX = 32;
const DEVICE_BYTES_MAX = 64;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws `tus_version`. */
export function checkVersion(header: HeaderOf): void {
  if (header('tus-resumable') !== TUS_VERSION) throw new NotevaultError('tus_version');
}

/** Throws `tus_version`, `validation`. */
export function fieldsFrom(header: HeaderOf): UploadFields {
  checkVersion(header);
  const length = countFrom(header, 'upload-length');
  const metadata = header('upload-metadata') ?? '';
  const pairs = pairsFrom(metadata);
  const { path, mtime = '', device = '' } = Object.fromEntries(pairs);
  if (path === undefined) throw invalid({ path: ['is required in Upload-Metadata'] });
  if (mtime !== '' && !NUMBER.test(mtime)) throw invalid({ mtime: ['must be a number of epoch seconds'] });
  return {
    path: pathFrom(path, 'path'),
    length,
    mtime: mtime === '' ? null : Number(mtime),
    device: device !== '' && Buffer.byteLength(device) <= DEVICE_BYTES_MAX ? device : null,
    ifMatch: pairs.get('if_match') ?? null,
    ifNoneMatch: pairs.get('if_none_match') ?? null,
    metadata,
  };
}

/** The precondition of the write; hashes may be sent without the quotes of a tag. */
export function expectedOf({ ifMatch, ifNoneMatch }: Pick<UploadFields, 'ifMatch' | 'ifNoneMatch'>): Precondition {
  const tag = (text: string | null) => (text === null || /^\s*[*"]/.test(text) ? text : `"${text}"`);
  return preconditionOf({ header: (name) => tag(name === 'if-match' ? ifMatch : ifNoneMatch) });
}

/** Throws `validation` for a header that is missing or is no count of bytes. */
export function countFrom(header: HeaderOf, name: 'upload-length' | 'upload-offset'): number {
  const text = header(name);
  if (text === null || !/^\d{1,15}$/.test(text)) throw invalid({ [name]: ['must be a number of bytes'] });
  return Number(text);
}

/** The SHA-256 of a slice; null without a checksum. Throws `checksum_algorithm`. */
export function checksumFrom(header: HeaderOf): Buffer | null {
  const text = header('upload-checksum');
  if (text === null) return null;
  const [, algorithm, value = ''] = /^(\S+) (\S+)$/.exec(text) ?? [];
  const digest = Buffer.from(value, 'base64');
  if (algorithm !== 'sha256' || !BASE64.test(value) || digest.length !== 32) {
    throw new NotevaultError('checksum_algorithm');
  }
  return digest;
}

/** Reads pairs of a key and a value in base64. Throws `validation`. */
function pairsFrom(metadata: string): Map<string, string> {
  const pairs = new Map<string, string>();
  if (metadata === '') return pairs;
  for (const pair of metadata.split(',', PAIRS_MAX + 1)) {
    const [key = '', value = '', ...more] = pair.trim().split(' ', 3);
    const isPair = key !== '' && more.length === 0 && BASE64.test(value) && !pairs.has(key);
    const text = isPair ? textOf(value) : null;
    if (text === null || pairs.size === PAIRS_MAX) {
      throw invalid({ 'upload-metadata': ['must be pairs of a key and a value in base64, separated by commas'] });
    }
    pairs.set(key, text);
  }
  return pairs;
}

function textOf(base64: string): string | null {
  try {
    return utf8.decode(Buffer.from(base64, 'base64'));
  } catch {
    return null;
  }
}
