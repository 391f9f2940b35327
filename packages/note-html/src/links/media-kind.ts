/** Media type as which an embedded file is shown. */
export type MediaKind = 'image' | 'audio' | 'video' | 'pdf' | 'note' | 'file';

const KINDS: Readonly<Record<Exclude<MediaKind, 'note' | 'file'>, readonly string[]>> = {
  image: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'bmp', 'svg', 'ico', 'apng'],
  audio: ['mp3', 'm4a', 'ogg', 'oga', 'opus', 'wav', 'flac', '3gp', 'aac'],
  video: ['mp4', 'webm', 'ogv', 'mov', 'mkv', 'm4v'],
  pdf: ['pdf'],
};
const BY_EXTENSION = new Map(
  Object.entries(KINDS).flatMap(([kind, extensions]) => extensions.map((one) => [one, kind as MediaKind] as const)),
);

/** Returns the kind of the file that an embed names; a target without an extension of a file is a note. */
export function mediaKind(target: string): MediaKind {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(target)?.[1]?.toLowerCase();
  if (extension === undefined || extension === 'md') return 'note';
  return BY_EXTENSION.get(extension) ?? (/[a-z]/.test(extension) && KNOWN_FILES.has(extension) ? 'file' : 'note');
}

/** Files that are offered as a link. A title such as `Version 1.2` has no extension, though it has a dot. */
const KNOWN_FILES = new Set(
  'zip tar gz 7z doc docx odt xls xlsx ods ppt pptx odp csv txt json xml html css js ts py canvas base epub'.split(' '),
);

export interface ImageSize {
  readonly width: number;
  readonly height: number | null;
}

/** Reads the size that the label of an image may have: `640` or `640x480`, alone or after a `|`. */
export function readImageSize(label: string): { readonly size: ImageSize | null; readonly alt: string } {
  const match = /^(?:(.*)\|)?[ \t]*(\d{1,5})(?:x(\d{1,5}))?[ \t]*$/.exec(label);
  if (match === null) return { size: null, alt: label };
  const [, alt = '', width = '', height] = match;
  return { size: { width: Number(width), height: height === undefined ? null : Number(height) }, alt };
}
