import * as schema from '@notevault/protocol/attachments.ts';
import { DeletedCount, MovedCount, RenameBody } from '@notevault/protocol/values/schemas.ts';
import { answerBytes } from '../../http/answers/answer-bytes.ts';
import { writeContextOf } from '../../http/request-context.ts';
import { idempotentRoute, idempotentStreamedRoute, type Route, route, streamedRoute } from '../../http/route.ts';
import { isConditional, preconditionOf } from '../entries/precondition.ts';
import { folderPathFrom } from '../entries/request-paths.ts';
import { skipInTransaction } from '../idempotency/idempotency.ts';
import type { Attachments } from './attachments.ts';
import { fileReply } from './download.schema.ts';
import { jsonUpload, rawUpload } from './uploads/uploads.schema.ts';

const UPLOAD_ERRORS = [
  ...(['limit_exceeded', 'extension_not_allowed', 'mime_not_allowed', 'conflict', 'validation'] as const),
  ...(['attachment_unreadable', 'version_conflict'] as const),
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
    idempotentStreamedRoute({
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
        const { received, upload } = await attachments.startUpload(vault, () => jsonUpload(stream));
        const fields = upload.fields();
        const expected = preconditionOf({ header });
        return {
          received,
          mtime: upload.mtime(),
          expected,
          identity: isConditional(expected)
            ? { fields, hash: received.hash, expected }
            : { fields, hash: received.hash },
          [Symbol.asyncDispose]: () => received[Symbol.asyncDispose](),
        };
      },
      perform: (request, inTransaction) => {
        const { received, mtime, expected } = request.received;
        return attachments.put(writeContextOf(request, inTransaction), received, mtime, expected);
      },
      reply: (attachment) => ({ body: { attachment } }),
    }),
    streamedRoute({
      method: 'PUT',
      path: '/attachments/*',
      operation: 'putAttachment',
      summary: 'Upload an attachment as raw bytes, or replace the one at the path',
      conditional: true,
      takes: { mediaType: 'application/octet-stream', schema: schema.FileBytes },
      responses: { 200: schema.AttachmentUploaded },
      errors: UPLOAD_ERRORS,
      handle: async (request) => {
        const context = writeContextOf(request, skipInTransaction);
        const attachment = await attachments.upload(context, () => rawUpload(request), preconditionOf(request));
        const renamed = attachment.path === request.tail ? {} : { server_path: attachment.path };
        return { body: { attachment, ...renamed } };
      },
    }),
  ];
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
      reply: (moved) => ({ body: { moved } }),
    }),
  ];
}

function deletingRoutes(attachments: Attachments): Route[] {
  return [
    route({
      method: 'DELETE',
      path: '/attachments/*',
      operation: 'deleteAttachment',
      summary: 'Delete an attachment; succeeds if there is none',
      responses: { 200: schema.AttachmentDeleted },
      conditional: true,
      errors: ['attachment_unreadable', 'version_conflict'],
      handle: async (request) => {
        const context = writeContextOf(request, skipInTransaction);
        const hash = await attachments.delete(context, request.tail, preconditionOf(request));
        return { body: { deleted: true, path: request.tail, content_hash: hash } };
      },
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
