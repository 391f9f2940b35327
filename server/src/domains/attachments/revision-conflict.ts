/** What a write was prepared from has changed: prepare it again. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
}
