import { type Static, Type } from 'typebox';
import { linksLeft } from './links.ts';
import { DryRun, Nullable, queryFlag, sent, sentAlways, Timestamp, Unchecked, Uuid } from './values/schemas.ts';

export const Attachment = Type.Object({
  id: Uuid,
  path: Type.String(),
  mime_type: Type.String({ description: 'By the extension.' }),
  content_hash: Type.String({ description: 'Lower-case hex SHA-256 of the bytes.' }),
  size_bytes: Type.Integer(),
  mtime: Type.Number({ description: 'Client mtime, epoch seconds.' }),
  seq: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Attachment = Static<typeof Attachment>;

export const UploadAttachment = Type.Object({
  path: Type.String(),
  content_base64: Type.String({ description: 'The bytes (RFC 4648, section 4); 64 MB of them at most.' }),
  mime_type: Type.Optional(Nullable(Type.String({ description: 'Ignored; derived from the extension.' }))),
  mtime: Type.Optional(Nullable(Type.Number({ description: 'Client mtime, epoch seconds; now, by default.' }))),
});

export const AttachmentUploaded = Type.Object({
  attachment: Attachment,
  server_path: Type.Optional(Type.String({ description: 'The path as stored, if it differs from the one sent.' })),
});
export type AttachmentUploaded = Static<typeof AttachmentUploaded>;

export const AttachmentWithContent = Type.Object({
  ...Attachment.properties,
  content_base64: Nullable(Type.String({ description: 'The bytes; null when there are more than 64 MB.' })),
});
export type AttachmentWithContent = Static<typeof AttachmentWithContent>;

export const AttachmentRenamed = Type.Object({
  renamed: Type.Boolean({ description: 'False in a dry run.' }),
  ...linksLeft,
  old_path: Type.String(),
  new_path: Type.String(),
  attachment: Attachment,
});
export type AttachmentRenamed = Static<typeof AttachmentRenamed>;

export const MoveAttachments = Unchecked<{ paths?: unknown; target_folder?: unknown; dry_run?: unknown }>({
  paths: sentAlways(Type.Array(Type.String(), { minItems: 1, maxItems: 1000, description: '1 to 1,000 paths.' })),
  target_folder: sentAlways(
    Type.String({ description: 'Path of a folder, empty for the root. It need not exist yet.' }),
  ),
  dry_run: sent(DryRun),
});

export const DeleteAttachments = Unchecked<{ paths?: unknown }>({
  paths: sentAlways(Type.Array(Type.String(), { minItems: 1, maxItems: 500, description: '1 to 500 paths.' })),
});

/** The raw bytes. */
export const FileBytes = Type.Unsafe({ type: 'string', format: 'binary' });
export const AttachmentsQuery = Type.Object({
  folder: Type.Optional(Type.String({ description: 'Only attachments in this folder and its subfolders.' })),
});
export const AttachmentsResponse = Type.Object({ attachments: Type.Array(Attachment) });
export type AttachmentsResponse = Static<typeof AttachmentsResponse>;
export const DownloadQuery = Type.Object({
  raw: queryFlag('`1` returns the raw bytes whatever the Accept header says.'),
});
export const AttachmentDeleted = Type.Object({
  deleted: Type.Boolean(),
  path: Type.String(),
  content_hash: Nullable(Type.String({ description: 'Of the deleted bytes; null when there was no attachment.' })),
});
export type AttachmentDeleted = Static<typeof AttachmentDeleted>;
