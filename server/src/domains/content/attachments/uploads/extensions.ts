import { fileName } from '@notevault/note-text/paths.ts';
import mime from 'mime';

/** File extensions (lower case, no dot) that are accepted by default. */
export const defaultExtensions: ReadonlySet<string> = new Set([
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'svg', 'ico', 'tif', 'tiff', 'heic', 'heif'],
  ...['mp3', 'wav', 'm4a', 'ogg', 'oga', 'opus', 'flac', 'aac', '3gp', 'weba'],
  ...['mp4', 'webm', 'ogv', 'mov', 'mkv', 'm4v', 'avi'],
  ...['pdf', 'doc', 'docx', 'xls', 'xlsx', 'ppt', 'pptx', 'odt', 'ods', 'odp', 'rtf', 'epub', 'mobi'],
  ...['txt', 'csv', 'tsv', 'json', 'canvas', 'base', 'xml', 'yaml', 'yml', 'log', 'ics', 'vcf', 'tex', 'bib'],
  // Themes of editors, when their settings are synced.
  'css',
  ...['ttf', 'otf', 'woff', 'woff2', 'zip'],
]);

/** Media types that the library's table lacks or has under an old name. */
const OWN_TYPES: Readonly<Record<string, string>> = {
  canvas: 'application/json',
  base: 'text/yaml',
  bib: 'application/x-bibtex',
  flac: 'audio/flac',
  vcf: 'text/vcard',
};

/** Returns the extension of a path in lower case, without the dot; null when its file name has none. */
export function extensionOf(path: string): string | null {
  const name = fileName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 || dot === name.length - 1 ? null : name.slice(dot + 1).toLowerCase();
}

/** Returns the media type (RFC 6838) under which files with this extension are served, regardless of their contents. */
export function mediaTypeOf(extension: string): string {
  return (Object.hasOwn(OWN_TYPES, extension) ? OWN_TYPES[extension] : mime.getType(extension)) ?? UNKNOWN_TYPE;
}

const UNKNOWN_TYPE = 'application/octet-stream';

/** Whether a browser may display such a file in its own window; SVG and HTML may contain scripts. */
export function isShownInline(mediaType: string): boolean {
  if (mediaType.startsWith('image/')) return mediaType !== 'image/svg+xml';
  return /^(audio|video)\//.test(mediaType) || mediaType === 'application/pdf' || mediaType === 'text/plain';
}
