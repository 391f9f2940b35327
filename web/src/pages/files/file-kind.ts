/** How the page of an attachment shows it. */
export type FileKind = 'image' | 'audio' | 'video' | 'pdf' | 'text' | 'other';

const TEXTS = new Set(['application/json', 'application/xml', 'application/yaml', 'application/x-yaml']);

/** Decides by the MIME type that the server derives from the extension; null if it knows none. */
export function fileKind(mimeType: string | null): FileKind {
  const [type = ''] = (mimeType ?? '').toLowerCase().split(';', 1);
  const [group] = type.split('/', 1);
  if (group === 'image' || group === 'audio' || group === 'video') return group;
  if (type === 'application/pdf') return 'pdf';
  return group === 'text' || TEXTS.has(type) ? 'text' : 'other';
}
