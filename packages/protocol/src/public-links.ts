import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from './values/schemas.ts';

/** Longest lifetime of a public link in seconds; one without a lifetime does not expire. */
export const PUBLIC_LINK_SECONDS_MAX = 366 * 24 * 60 * 60;

export const NewPublicLink = Type.Object({
  note_id: Type.Optional(Type.String({ description: 'The note to show; not together with `folder`.' })),
  folder: Type.Optional(Type.String({ description: 'The folder to show with all notes below it, also later ones.' })),
  expires_in: Type.Optional(
    Type.Integer({ minimum: 60, maximum: PUBLIC_LINK_SECONDS_MAX, description: 'Seconds; absent for no expiry.' }),
  ),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Asked for before the page.' })),
});
export type NewPublicLink = Static<typeof NewPublicLink>;

export const PublicLink = Type.Object({
  id: Uuid,
  kind: Type.Enum(['note', 'folder']),
  note_id: Nullable(Uuid),
  path: Nullable(Type.String({ description: 'The note or folder; null while it is deleted.' })),
  has_password: Type.Boolean(),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
  last_used_at: Nullable(Timestamp),
});
export type PublicLink = Static<typeof PublicLink>;

export const PublicLinkMade = Type.Object({
  link: PublicLink,
  url: Type.String({ description: 'The address of the page. It is shown only once.' }),
});
export type PublicLinkMade = Static<typeof PublicLinkMade>;

export const PublicLinksResponse = Type.Object({ links: Type.Array(PublicLink) });
export type PublicLinksResponse = Static<typeof PublicLinksResponse>;

export const PublicLinkCount = Type.Object({ count: Type.Integer() });
export type PublicLinkCount = Static<typeof PublicLinkCount>;
