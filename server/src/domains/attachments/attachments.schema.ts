import { Nullable, Timestamp, Unchecked, Uuid } from '@notevault/protocol/schemas.ts';
import { type Static, Type } from 'typebox';

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
  mime_type: Type.Optional(Nullable(Type.String({ description: 'Ignored: comes from the extension.' }))),
  mtime: Type.Optional(Nullable(Type.Number({ description: 'Client mtime, epoch seconds; now, by default.' }))),
});

export const Uploaded = Type.Object({
  attachment: Attachment,
  server_path: Type.Optional(Type.String({ description: 'The path as stored, when it is not the one sent.' })),
});

export const AttachmentWithContent = Type.Object({
  ...Attachment.properties,
  content_base64: Nullable(Type.String({ description: 'The bytes; null when there are more than 64 MB.' })),
});

export const Renamed = Type.Object({
  renamed: Type.Boolean(),
  old_path: Type.String(),
  new_path: Type.String(),
  attachment: Attachment,
});

export const MoveBatch = Unchecked<{ paths?: unknown; target_folder?: unknown }>({
  paths: Type.Unknown({ description: '1 to 1,000 paths.' }),
  target_folder: Type.Unknown({ description: 'A folder’s path, empty for the root; it need not exist yet.' }),
});

export const DeleteBatch = Unchecked<{ paths?: unknown }>({ paths: Type.Unknown({ description: '1 to 500 paths.' }) });
