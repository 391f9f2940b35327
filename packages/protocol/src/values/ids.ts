/** Branded ids: passing a vault id where a note id is needed does not compile. All are lower-case UUIDs. */
declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

export type UserId = Branded<string, 'UserId'>;
export type SessionId = Branded<string, 'SessionId'>;
export type VaultId = Branded<string, 'VaultId'>;
export type NoteId = Branded<string, 'NoteId'>;
export type AttachmentId = Branded<string, 'AttachmentId'>;
export type BlobId = Branded<string, 'BlobId'>;
export type FolderId = Branded<string, 'FolderId'>;

/** Position in a vault's change order: 1 for the first write, larger for each later one. */
export type Seq = Branded<number, 'Seq'>;
/** Milliseconds since the Unix epoch, UTC. */
export type EpochMs = Branded<number, 'EpochMs'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Sorts before every other UUID, and is the id of nothing (RFC 9562, section 5.9). */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Returns a UUID of any version in canonical lower case, or null when `text` is not a UUID (RFC 9562, section 4). */
export function parseUuid(text: unknown): string | null {
  return typeof text === 'string' && UUID.test(text) ? text.toLowerCase() : null;
}
