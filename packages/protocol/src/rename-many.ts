import { type Static, Type } from 'typebox';
import { linksLeft } from './links.ts';
import { RENAMES_MAX } from './values/batch-limits.ts';
import { documented, Uuid } from './values/schemas.ts';

const Move = Type.Object({
  id: Uuid,
  from: Type.String({ description: 'The path that the item has now.' }),
  path: Type.String({ description: 'Its new path, which another item of the request may have now.' }),
});
export const RenameMany = Type.Object({
  moves: Type.Array(Move, {
    description: 'Notes and attachments.',
    ...documented({ minItems: 1, maxItems: RENAMES_MAX }),
  }),
});
export type RenameMany = Static<typeof RenameMany>;

export const RenamedMany = Type.Object({
  moved: Type.Integer({ description: 'Number of items named, also of those that already had their path.' }),
  ...linksLeft,
  items: Type.Array(Type.Object({ id: Uuid, path: Type.String(), seq: Type.Integer() })),
});
export type RenamedMany = Static<typeof RenamedMany>;
