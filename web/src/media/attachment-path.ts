/** A path for a new attachment of a note, that is not in use: in the folder `Attachments` beside the note. */
export function newAttachmentPath(notePath: string, name: string, isTaken: (path: string) => boolean): string {
  const folder = notePath.slice(0, notePath.lastIndexOf('/') + 1);
  const clean =
    name
      .replace(/[\\/:*?"<>|#^[\]\p{Cc}]/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim() || 'file';
  const dot = clean.lastIndexOf('.') > 0 ? clean.lastIndexOf('.') : clean.length;
  for (let count = 1; ; count++) {
    const path = `${folder}Attachments/${clean.slice(0, dot)}${count === 1 ? '' : ` ${count}`}${clean.slice(dot)}`;
    if (!isTaken(path)) return path;
  }
}
