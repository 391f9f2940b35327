import * as schema from '@notevault/protocol/attachments.ts';
import { MovedCount } from '@notevault/protocol/links.ts';
import { DeletedCount, RenameBody } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../../http/answers/answer-bytes.ts';
import { writeContextOf } from '../../../http/request-context.ts';
import { idempotentRoute, type Route, route } from '../../../http/route.ts';
import { isConditional, type Precondition, preconditionOf, UNCONDITIONAL } from '../entries/precondition.ts';
import { folderPathFrom } from '../entries/request-paths.ts';
import type { Attachments, StartedUpload, UploadInput } from './attachments.ts';
import { fileReply } from './download.schema.ts';
import { jsonUpload, rawUpload, type UploadFields } from './uploads/uploads.schema.ts';

const UPLOAD_ERRORS = [
  ...(['limit_exceeded', 'extension_not_allowed', 'mime_not_allowed', 'conflict', 'validation'] as const),
  ...(['file_too_large', 'attachment_unreadable', 'version_conflict'] as const),
] as const;

/** A move also rewrites notes. */
const UNREADABLE = ['note_unreadable', 'attachment_unreadable'] as const;

export function attachmentsRoutes(attachments: Attachments): Route[] {
  return [
    ...uploadingRoutes(attachments),
    ...readingRoutes(attachments),
    ...movingRoutes(attachments),
    ...deletingRoutes(attachments),
  ];
}

function uploadingRoutes(attachments: Attachments): Route[] {
  return [
    idempotentRoute({
      path: '/attachments',
      operation: 'uploadAttachment',
      summary: 'Upload an attachment as base64, or replace the one at the path',
      conditional: true,
      takes: { mediaType: 'application/json', schema: schema.UploadAttachment },
      responses: { 200: schema.AttachmentUploaded },
      errors: [
        ...UPLOAD_ERRORS,
        ...(['invalid_json', 'content_base64_required', 'invalid_base64', 'use_put', 'body_too_large'] as const),
        'unsupported_media_type',
      ],
      receive: async ({ vault, stream, header }) => {
        const started = await attachments.startUpload(vault, () => jsonUpload(stream));
        return receivedOf(started, preconditionOf({ header }));
      },
      perform: (request, inTransaction) => {
        const { received, mtime, expected } = request.received;
        return attachments.put(writeContextOf(request, inTransaction), received, mtime, expected);
      },
      reply: (attachment) => ({ body: { attachment } }),
    }),
    idempotentRoute({
      method: 'PUT',
      path: '/attachments/*',
      operation: 'putAttachment',
      summary: 'Upload an attachment as raw bytes, or replace the one at the path',
      conditional: true,
      takes: { mediaType: 'application/octet-stream', schema: schema.FileBytes },
      responses: { 200: schema.AttachmentUploaded },
      errors: UPLOAD_ERRORS,
      receive: async (request) => {
        const expected = preconditionOf(request);
        // A repeated key gets its stored answer, although its precondition no longer holds.
        const isFirst = request.header('x-idempotency-key') === null;
        const upload = () => rawUpload(request);
        const started = await attachments.startUpload(request.vault, upload, isFirst ? expected : UNCONDITIONAL);
        return receivedOf(started, expected);
      },
      perform: (request, inTransaction) => {
        const { received, mtime, expected } = request.received;
        return attachments.put(writeContextOf(request, inTransaction), received, mtime, expected);
      },
      reply: (attachment, { tail }) => ({
        body: { attachment, ...(attachment.path === tail ? {} : { server_path: attachment.path }) },
      }),
    }),
  ];
}

/** An upload whose bytes are stored, for a keyed route. */
function receivedOf({ received, upload }: StartedUpload<UploadInput & UploadFields>, expected: Precondition) {
  const fields = upload.fields();
  return {
    received,
    mtime: upload.mtime(),
    expected,
    identity: isConditional(expected) ? { fields, hash: received.hash, expected } : { fields, hash: received.hash },
    [Symbol.asyncDispose]: () => received[Symbol.asyncDispose](),
  };
}

function readingRoutes(attachments: Attachments): Route[] {
  return [
    route({
      method: 'GET',
      path: '/attachments',
      operation: 'listAttachments',
      summary: 'List the metadata of all attachments',
      compresses: true,
      answerBytes: answerBytes.page,
      query: schema.AttachmentsQuery,
      responses: { 200: schema.AttachmentsResponse },
      errors: ['attachment_unreadable'],
      handle: async ({ vault, query }) => {
        const folder = folderPathFrom(query.folder ?? '', 'folder');
        return { body: { attachments: await attachments.list(vault, folder) } };
      },
    }),
    route({
      method: 'GET',
      path: '/attachments/*',
      operation: 'getAttachment',
      summary:
        'Get an attachment: its bytes with `raw=1` or if the client does not accept JSON, else its metadata with the bytes as base64',
      query: schema.DownloadQuery,
      responses: { 200: schema.AttachmentWithContent },
      sendsBytes: true,
      errors: ['attachment_not_found', 'attachment_unreadable', 'range_not_satisfiable'],
      handle: async (request) => fileReply(await attachments.open(request.vault, request.tail), request),
    }),
  ];
}

function movingRoutes(attachments: Attachments): Route[] {
  return [
    idempotentRoute({
      path: '/attachments/rename',
      operation: 'renameAttachment',
      summary: 'Rename or move an attachment, and update links and embeds',
      body: RenameBody,
      responses: { 200: schema.AttachmentRenamed },
      errors: ['limit_exceeded', 'attachment_item_not_found', 'conflict', 'extension_not_allowed', ...UNREADABLE],
      perform: (request, inTransaction) => attachments.rename(writeContextOf(request, inTransaction), request.body),
      reply: (renamed) => ({ body: renamed }),
    }),
    idempotentRoute({
      path: '/attachments/batch-move',
      operation: 'moveAttachments',
      summary: 'Move attachments into a folder, all or none, and update links and embeds',
      body: schema.MoveAttachments,
      responses: { 200: MovedCount },
      errors: [
        ...(['limit_exceeded', 'missing_paths_or_target', 'invalid_ids', 'too_many_items'] as const),
        ...(['attachment_item_not_found', 'conflict'] as const),
        ...UNREADABLE,
      ],
      perform: (request, inTransaction) =>
        attachments.moveMany(writeContextOf(request, inTransaction), request.body ?? {}),
      reply: (moved) => ({ body: moved }),
    }),
  ];
}

function deletingRoutes(attachments: Attachments): Route[] {
  return [
    idempotentRoute({
      method: 'DELETE',
      path: '/attachments/*',
      operation: 'deleteAttachment',
      summary: 'Delete an attachment; succeeds if there is none',
      responses: { 200: schema.AttachmentDeleted },
      conditional: true,
      errors: ['attachment_unreadable', 'version_conflict'],
      perform: (request, inTransaction) =>
        attachments.delete(writeContextOf(request, inTransaction), request.tail, preconditionOf(request)),
      reply: (hash, { tail }) => ({ body: { deleted: true, path: tail, content_hash: hash } }),
    }),
    idempotentRoute({
      path: '/attachments/batch-delete',
      operation: 'deleteAttachments',
      summary: 'Delete attachments; missing ones are ignored',
      body: schema.DeleteAttachments,
      responses: { 200: DeletedCount },
      errors: ['missing_paths', 'invalid_ids', 'batch_too_large', 'attachment_unreadable'],
      perform: (request, inTransaction) =>
        attachments.deleteMany(writeContextOf(request, inTransaction), request.body?.paths),
      reply: (deleted) => ({ body: { deleted } }),
    }),
  ];
}
