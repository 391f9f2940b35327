import { type Static, Type } from 'typebox';
import { Attachment } from './attachments.ts';
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
