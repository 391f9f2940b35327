import { NotevaultError } from '@notevault/protocol/errors.ts';
import { fileTypeFromBuffer } from 'file-type';

/** Number of bytes inspected at the beginning and at the end of a file. */
export const HEAD_BYTES = 4100;
export const TAIL_BYTES = 22 + 0xffff;

/**
 * Extensions by family of file types. The detected type may differ from the extension within a family, never across. A
 * container (ZIP, OLE, ISO media) often shows only itself in its first bytes, not its contents.
 */
const FAMILIES: readonly (readonly string[])[] = [
  ['png', 'apng'],
  ['jpg', 'jpeg'],
  ['gif'],
  ['webp'],
  ['bmp'],
  ['ico', 'cur'],
  ['tif', 'tiff', 'dng', 'nef', 'arw', 'cr2'],
  ['mp3', 'mp2', 'mp1', 'aac'],
  // An ID3 tag with images may precede any audio and hides what follows.
  ['wav', 'mp3'],
  ['avi'],
  ['flac', 'mp3'],
  ['ogg', 'oga', 'opus', 'ogv', 'ogx', 'ogm', 'spx'],
  ['mkv', 'webm', 'weba'],
  [
    ...['mp4', 'm4a', 'm4v', 'mov', '3gp', '3g2', 'heic', 'heif', 'avif', 'm4b', 'm4p', 'f4v', 'f4p', 'f4a', 'f4b'],
    ...['cr3', 'mj2'],
  ],
  ['pdf'],
  ['rtf', 'doc', 'cfb'],
  ['doc', 'xls', 'ppt', 'cfb'],
  [
    ...['zip', 'docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'epub', 'dotx', 'xltx', 'potx', 'ott', 'ots', 'otp'],
    ...['docm', 'xlsm', 'pptm', 'odg', 'otg', 'dotm', 'xltm', 'potm', 'ppsx', 'ppsm', 'vsdx'],
  ],
  ['mobi'],
  ['ttf', 'otf', 'ttc'],
  ['woff'],
  ['woff2'],
];
/** Types that are accepted as ZIP archives only, never as documents. */
const ONLY_AS_ZIP = new Set(['jar', 'apk', 'xpi', 'crx', 'zip', '3mf', 'alias', 'key', 'numbers', 'pages']);
/** Executables and launchers, by the library's names. */
const PROGRAMS = new Set([
  ...['elf', 'macho', 'wasm', 'class', 'swf', 'deb', 'rpm', 'lnk', 'crx', 'dmg', 'apk', 'nes'],
]);

const familyOf = (extension: string) => FAMILIES.filter((family) => family.includes(extension));

/** Markup that a browser may execute if it ignores the media type. */
const MARKUP = /<(?:script|html|!doctype html|\?php|iframe|svg)[\s>]/i;

/**
 * Checks the first bytes of a file. Throws `mime_not_allowed` for an executable under any name, and for bytes of a
 * known type that a binary extension contradicts; an unknown type is accepted.
 *
 * @param head the first HEAD_BYTES, or all when there are fewer.
 */
export async function checkHead(extension: string, head: Buffer): Promise<void> {
  const program = programType(head);
  if (program !== null) throw refused(extension, program);
  const found = await sniff(head);
  if (found !== null && PROGRAMS.has(found.ext)) throw refused(extension, found.mime);
  const families = familyOf(extension);
  // Text contradicts nothing, because it has no signature.
  if (families.length === 0) return;
  if (found !== null && !isKindOf(extension, families, found.ext)) throw refused(extension, found.mime);
  if (!families.some((family) => family.includes('pdf')) && head.subarray(0, 1024).includes('%PDF-')) {
    throw refused(extension, 'application/pdf');
  }
  if (isMedia(extension) && MARKUP.test(head.toString('latin1'))) throw refused(extension, 'text/html');
}

/** Checks the last bytes: an image that is also a ZIP archive can be run as a program. Throws `mime_not_allowed`. */
export function checkTail(extension: string, tail: Buffer): void {
  if (!isMedia(extension) && extension !== 'pdf') return;
  if (endsAsZip(tail)) throw refused(extension, 'application/zip');
}

function isMedia(extension: string): boolean {
  const [family] = familyOf(extension);
  return family !== undefined && !['pdf', 'doc', 'zip', 'mobi', 'ttf', 'woff', 'woff2'].some((e) => family.includes(e));
}

function isKindOf(extension: string, families: readonly (readonly string[])[], found: string): boolean {
  if (extension === 'zip' && ONLY_AS_ZIP.has(found)) return true;
  return families.some((family) => family.includes(found));
}

/** Signatures that suffice by themselves; the library also requires the rest of the file to be complete. */
const BEGINNINGS: readonly (readonly [ext: string, mime: string, bytes: Buffer])[] = [
  ['png', 'image/png', Buffer.from('89504e470d0a1a0a', 'hex')],
  ['jpg', 'image/jpeg', Buffer.from('ffd8ff', 'hex')],
  ['gif', 'image/gif', Buffer.from('GIF8')],
  ['pdf', 'application/pdf', Buffer.from('%PDF-')],
  ['mp3', 'audio/mpeg', Buffer.from('ID3')],
  ['zip', 'application/zip', Buffer.from('504b0304', 'hex')],
  ['cfb', 'application/x-cfb', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
  ['mkv', 'video/matroska', Buffer.from('1a45dfa3', 'hex')],
  ['rar', 'application/x-rar-compressed', Buffer.from('Rar!\x1a\x07', 'latin1')],
  ['7z', 'application/x-7z-compressed', Buffer.from('377abcaf271c', 'hex')],
];

/** The library reads only the given bytes; its errors over broken files are ignored. */
async function sniff(head: Buffer): Promise<{ ext: string; mime: string } | null> {
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  // The library accepts two letters; the check above requires more.
  if (found !== undefined && found.ext !== 'exe') return found;
  const [ext, mime] = BEGINNINGS.find(([, , bytes]) => head.subarray(0, bytes.length).equals(bytes)) ?? [];
  return ext === undefined || mime === undefined ? null : { ext, mime };
}

/** The last one is that of programs for several processors, and of Java classes. */
const MACH_O = new Set([0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe, 0xcafebabe]);

/** Returns the media type of an executable, from its first bytes; null for any other file. */
function programType(head: Buffer): string | null {
  // A script with its interpreter, also after a byte order mark, which some shells ignore.
  if (/^(?:\xef\xbb\xbf)?#![ \t]*\//.test(head.toString('latin1', 0, 64))) return 'text/x-shellscript';
  if (head.length < 4) return null;
  const magic = head.readUInt32BE(0);
  if (magic === 0x7f454c46) return 'application/x-elf';
  if (MACH_O.has(magic)) return 'application/x-mach-binary';
  if (magic === 0x0061736d) return 'application/wasm';
  if (head.toString('latin1', 0, 2) === 'MZ' && isDosProgram(head)) return 'application/x-msdownload';
  return null;
}

/** Text may begin with the letters MZ; in an executable they are followed by numbers. */
function isDosProgram(head: Buffer): boolean {
  return head.subarray(0, 64).some((byte) => byte < 9 || (byte > 13 && byte < 32));
}

const ZIP_END = Buffer.from('PK\x05\x06', 'latin1');
const ZIP_END_BYTES = 22;

/** Whether the bytes end in a zip's end-of-central-directory record (APPNOTE 4.3.16) and its comment. */
function endsAsZip(tail: Buffer): boolean {
  for (let at = tail.lastIndexOf(ZIP_END); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(ZIP_END, at - 1)) {
    if (at + ZIP_END_BYTES > tail.length) continue;
    if (at + ZIP_END_BYTES + tail.readUInt16LE(at + 20) === tail.length) return true;
  }
  return false;
}

function refused(extension: string, mediaType: string): NotevaultError {
  return new NotevaultError('mime_not_allowed', { mime_type: mediaType, extension });
}
