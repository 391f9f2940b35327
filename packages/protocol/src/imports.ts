import { type Static, Type } from 'typebox';
import { Nullable, queryFlag, Timestamp, Uuid } from './values/schemas.ts';

export const ImportQuery = Type.Object({
  vault_id: Type.String({ description: 'The vault into which to import.' }),
  dry_run: queryFlag('`true` only reports what an import would do; apply it later.'),
});

export const ImportBytes = Type.Unsafe({
  type: 'string',
  format: 'binary',
  description:
    'A zip of markdown and attachments, or of such zips, or an export of Joplin (`.jex`, or a zip of RAW), at most 2 GB.',
});

const Skipped = Type.Object({
  path: Type.String(),
  reason: Type.String({
    description:
      '`unsafe_path`, `hidden`, `link`, `special_file`, `encrypted`, `unsupported`, `ratio`, `too_large`, `not_utf8`, `damaged`, `type_not_allowed`, `limit_exceeded` or `conflict`.',
  }),
});
export const ImportReport = Type.Object({
  root: Nullable(
    Type.String({ description: 'The folder that all files of the archive are in, which is left out; null for none.' }),
  ),
  notes: Type.Integer({ description: 'Notes that were written.' }),
  attachments: Type.Integer({ description: 'Attachments that were written.' }),
  unchanged: Type.Integer({ description: 'Files that were in the vault already, at the same path.' }),
  renamed: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
    description: 'Files whose path is taken, also by another case or Unicode form of it; the first 1,000.',
  }),
  renamed_count: Type.Integer(),
  skipped: Type.Array(Skipped, { description: 'Files that are not imported; the first 1,000.' }),
  skipped_count: Type.Integer(),
  dangling: Nullable(Type.Integer({ description: 'Links without a target that the vault gained; null in a dry run.' })),
});
export type ImportReport = Static<typeof ImportReport>;

export const Import = Type.Object({
  id: Uuid,
  vault_id: Uuid,
  dry_run: Type.Boolean(),
  state: Type.Enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  error: Nullable(
    Type.String({
      description:
        'Why it failed: `unsupported_archive`, `damaged_archive`, `too_many_entries`, `unpacked_too_large`, `access_lost` (the session that began it ended, or may not write any more) or `internal`.',
    }),
  ),
  done: Type.Integer({ description: 'Entries of the archive that were handled.' }),
  total: Nullable(Type.Integer({ description: 'Entries of the archive, once they are counted.' })),
  created_at: Timestamp,
  expires_at: Timestamp,
  report: ImportReport,
});
export type Import = Static<typeof Import>;
export const ImportStarted = Type.Object({ id: Uuid });
export type ImportStarted = Static<typeof ImportStarted>;
export const Imports = Type.Object({ imports: Type.Array(Import) });
export type Imports = Static<typeof Imports>;
