import { type Static, Type } from 'typebox';
import { Attachment } from './attachments.ts';
import { OPEN_UPLOADS_MAX } from './upload-limits.ts';
import { Nullable, sentId, Timestamp, Uuid } from './values/schemas.ts';

export const UploadParams = Type.Object({ id: sentId() });

/** An upload in slices. Its headers say the same, as the protocol requires. */
export const SlicedUpload = Type.Object({
  id: Uuid,
  path: Type.String({ description: 'Where the attachment is written when the last byte has arrived.' }),
  length: Type.Integer({ description: 'Bytes of the whole file.' }),
  offset: Type.Integer({ description: 'Bytes that have arrived and are stored.' }),
  expires_at: Timestamp,
  attachment: Nullable(Attachment),
});
export type SlicedUpload = Static<typeof SlicedUpload>;

export const UploadCreated = Type.Object({ upload: SlicedUpload });
export type UploadCreated = Static<typeof UploadCreated>;

/** The bytes of a slice. */
export const SliceBytes = Type.Unsafe({ type: 'string', format: 'binary' });

/** A creation has no body: its bytes follow in slices. */
export const NoBytes = Type.Unsafe({ type: 'string', format: 'binary', maxLength: 0 });

/** An open upload as the owner of its vault sees it. */
export const UploadInto = Type.Object({
  id: Uuid,
  vault_id: Uuid,
  vault_name: Type.String(),
  path: Type.String(),
  length: Type.Integer({ description: 'Bytes of the whole file.' }),
  offset: Type.Integer({ description: 'Bytes that have arrived and are stored.' }),
  reserved_until: Nullable(
    Type.String({
      format: 'date-time',
      description: 'When its room is free again if nothing more arrives; null: it keeps none.',
    }),
  ),
  expires_at: Timestamp,
  by: Type.Object({ user_id: Uuid, display_name: Nullable(Type.String()) }),
});
export type UploadInto = Static<typeof UploadInto>;

export const UploadsInto = Type.Object({
  uploads: Type.Array(UploadInto, {
    description: `All of them: each person who can write into these vaults has at most ${OPEN_UPLOADS_MAX}.`,
  }),
});
export type UploadsInto = Static<typeof UploadsInto>;
