import { type Static, Type } from 'typebox';
import { Nullable, queryFlag, Uuid } from './values/schemas.ts';

/** A link from another note to this one. */
export const Backlink = Type.Object({
  source_note_id: Uuid,
  source_path: Nullable(Type.String({ description: 'Null only if the linking note is damaged.' })),
  source_title: Nullable(Type.String()),
  alias: Nullable(Type.String()),
  anchor: Nullable(Type.String()),
  context: Type.Optional(
    Nullable(
      Type.String({
        description:
          'With `context=true`: the plain text around the link, at most 200 characters; null where the linking note is damaged, and for notes beyond 8 MB of text.',
      }),
    ),
  ),
  context_link: Type.Optional(
    Nullable(Type.Array(Type.Integer(), { description: 'Begin and end of the link in `context`, in UTF-16 units.' })),
  ),
  offset: Type.Optional(Nullable(Type.Integer({ description: 'Begin of the link in the note, in UTF-16 units.' }))),
});
export type Backlink = Static<typeof Backlink>;
/** A note, and how many of its links no longer lead to what was renamed or moved. */
export const LinksLeft = Type.Object({ path: Type.String(), count: Type.Integer() });
export type LinksLeft = Static<typeof LinksLeft>;
/** Field of rename and move responses that lists links which could not be rewritten. */
export const linksLeft = {
  links_left: Type.Optional(
    Type.Array(LinksLeft, {
      description: 'The notes with links that no longer lead there, because none of their form can; absent for none.',
    }),
  ),
};
/** Number of items of a batch that were moved; 0 in a dry run. */
export const MovedCount = Type.Object({ moved: Type.Integer(), ...linksLeft });
export type MovedCount = Static<typeof MovedCount>;
export const BacklinksQuery = Type.Object({
  context: queryFlag('`true` adds the text around each link.'),
});
export const BacklinksResponse = Type.Object({ backlinks: Type.Array(Backlink) });
export type BacklinksResponse = Static<typeof BacklinksResponse>;

/** Maximum number of links of one page. */
export const DANGLING_PAGE = 50;

export const DanglingQuery = Type.Object({
  limit: Type.Optional(Type.String({ description: `1 to ${DANGLING_PAGE}, the default.` })),
  cursor: Type.Optional(Type.String({ description: 'The `next_cursor` of the page before.' })),
});
export type DanglingQuery = Static<typeof DanglingQuery>;

/** A link without a target. */
export const DanglingLink = Type.Object({
  note_id: Uuid,
  path: Type.String({ description: 'The note that has the link.' }),
  line: Nullable(
    Type.Integer({ description: 'Of the note, from 1; null for a note that is damaged or beyond 8 MB of text.' }),
  ),
  target: Type.String({ description: 'As the link names it, without its anchor.' }),
  near: Type.Array(Type.String(), { maxItems: 3, description: 'Paths of notes with a similar name, nearest first.' }),
});
export type DanglingLink = Static<typeof DanglingLink>;

export const DanglingLinks = Type.Object({
  links: Type.Array(DanglingLink, { description: `By note, then by place; at most ${DANGLING_PAGE}.` }),
  next_cursor: Nullable(Type.String({ description: 'Null on the last page.' })),
});
export type DanglingLinks = Static<typeof DanglingLinks>;
