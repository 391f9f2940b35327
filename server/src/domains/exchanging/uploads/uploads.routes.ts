import { ANNOUNCED_MAX, TUS_VERSION } from '@notevault/protocol/upload-limits.ts';
import type { SlicedUpload, UploadInto as UploadIntoBody } from '@notevault/protocol/uploads.ts';
import * as schema from '@notevault/protocol/uploads.ts';
import { isoTime, isoTimeOrNull } from '@notevault/protocol/values/time.ts';
import { actorOf, writeContextOf } from '../../../http/request-context.ts';
import { idempotentRoute, type RequestContext, type Route, route } from '../../../http/route.ts';
import type { Principal } from '../../foundation/access/access.ts';
import { checksumFrom, checkVersion, countFrom, fieldsFrom } from './upload-headers.ts';
import type { OpenedUpload, UploadInto, UploadRequest, Uploads } from './uploads.ts';

/** Every answer of the protocol says which version it is of. */
const TUS = { 'tus-resumable': TUS_VERSION, 'tus-version': TUS_VERSION };
/** Headers of an answer to OPTIONS: the protocol version and extensions offered here. */
const OFFERED = {
  ...TUS,
  'tus-extension': 'creation,expiration,termination,checksum',
  'tus-checksum-algorithm': 'sha256',
  'tus-max-size': `${ANNOUNCED_MAX}`,
};
const COMMON = { headers: TUS, offers: OFFERED } as const;
const HELD_ERRORS = [
  'tus_version',
  'upload_not_found',
  'upload_gone',
  'insufficient_access',
  'owner_suspended',
] as const;

/** Uploads in slices: tus 1.0 with creation, expiration, termination and checksum. */
export function uploadsRoutes(uploads: Uploads): Route[] {
  return [creationRoute(uploads), appendRoute(uploads), ...statusRoutes(uploads), ...ownerRoutes(uploads)];
}

function creationRoute(uploads: Uploads): Route {
  return idempotentRoute({
    ...COMMON,
    path: '/uploads',
    operation: 'createUpload',
    summary: 'Begin an upload in slices, with `Upload-Length` and `Upload-Metadata` (tus 1.0)',
    takes: { mediaType: 'application/octet-stream', schema: schema.NoBytes },
    responses: { 201: schema.UploadCreated },
    errors: [
      ...(['tus_version', 'validation', 'limit_exceeded', 'extension_not_allowed', 'mime_not_allowed'] as const),
      ...(['conflict', 'version_conflict', 'too_many_uploads', 'body_too_large', 'attachment_unreadable'] as const),
      'file_too_large',
    ],
    receive: async ({ header }) => {
      const fields = fieldsFrom(header);
      return { fields, identity: fields, [Symbol.asyncDispose]: async () => undefined };
    },
    perform: (request, inTransaction) => {
      const { fields } = request.received;
      const { device, ...context } = writeContextOf<OpenedUpload>(request, inTransaction);
      return uploads.create({ ...context, device: fields.device ?? device }, request.principal, fields);
    },
    reply: (upload) => ({ body: { upload: toWire(upload) } }),
    headersOf: ({ upload }) => ({
      location: `/api/uploads/${upload.id}`,
      'upload-expires': httpDate(Date.parse(upload.expires_at)),
    }),
  });
}

function appendRoute(uploads: Uploads): Route {
  return route({
    ...COMMON,
    method: 'PATCH',
    path: '/uploads/:id',
    operation: 'appendToUpload',
    summary: 'Send a slice of an upload, from `Upload-Offset` on; with the last one it becomes an attachment',
    params: schema.UploadParams,
    takes: { mediaType: 'application/offset+octet-stream', schema: schema.SliceBytes },
    responses: { 204: null },
    errors: [
      ...HELD_ERRORS,
      ...(['validation', 'unsupported_media_type', 'upload_offset', 'upload_refused', 'slice_too_short'] as const),
      ...(['checksum_algorithm', 'checksum_mismatch', 'body_too_large', 'attachment_unreadable'] as const),
      ...(['limit_exceeded', 'file_too_large', 'too_many_uploads'] as const),
    ],
    handle: async (request) => {
      const { stream, header, device } = request;
      checkVersion(header);
      const { bytes, declaredBytes } = stream;
      const [offset, checksum] = [countFrom(header, 'upload-offset'), checksumFrom(header)];
      const sender = { actor: actorOf(request), device };
      const progress = await uploads.append(named(request), { offset, checksum, bytes, declaredBytes }, sender);
      return { headers: { 'upload-offset': `${progress.offset}`, 'upload-expires': httpDate(progress.expiresAt) } };
    },
  });
}

function statusRoutes(uploads: Uploads): Route[] {
  return [
    route({
      ...COMMON,
      method: 'GET',
      path: '/uploads/:id',
      operation: 'getUpload',
      summary: 'How far an upload has come, and the attachment that it has become; HEAD answers with the headers alone',
      params: schema.UploadParams,
      responses: { 200: schema.SlicedUpload },
      errors: HELD_ERRORS,
      handle: async (request) => {
        checkVersion(request.header);
        const upload = await uploads.read(named(request));
        return { body: toWire(upload), headers: headersOf(upload) };
      },
    }),
    route({
      ...COMMON,
      method: 'DELETE',
      path: '/uploads/:id',
      operation: 'endUpload',
      summary: 'End an upload and erase its bytes; an attachment that it has become stays',
      params: schema.UploadParams,
      responses: { 204: null },
      errors: HELD_ERRORS,
      handle: async (request) => {
        checkVersion(request.header);
        await uploads.end(named(request));
      },
    }),
  ];
}

function ownerRoutes(uploads: Uploads): Route[] {
  return [
    route({
      method: 'GET',
      path: '/user/storage/uploads',
      operation: 'listUploadsInto',
      summary:
        'The open uploads into the vaults of the account, whoever began them, and until when they keep their room',
      responses: { 200: schema.UploadsInto },
      errors: ['vault_unreadable', 'attachment_unreadable'],
      handle: async ({ principal }) => ({ body: { uploads: (await uploads.listInto(principal)).map(intoToWire) } }),
    }),
    route({
      method: 'DELETE',
      path: '/user/storage/uploads/:id',
      operation: 'endUploadInto',
      summary: 'End an open upload into a vault of the account, whoever began it, and erase its bytes',
      params: schema.UploadParams,
      responses: { 204: null },
      errors: ['upload_not_found'],
      handle: async ({ principal, params }) => {
        await uploads.endInto(principal, params.id);
      },
    }),
  ];
}

type NamedRequest = Pick<RequestContext, 'header'> & {
  readonly principal: Principal;
  readonly params: { readonly id: string };
};

function named({ principal, params, header }: NamedRequest): UploadRequest {
  return { principal, id: params.id, vaultHeader: header('x-vault-id') };
}

function toWire({ id, meta, length, offset, expiresAt, attachment }: OpenedUpload): SlicedUpload {
  return { id, path: meta.path, length, offset, expires_at: isoTime(expiresAt), attachment };
}

function intoToWire({ row, path, vaultName, reservedUntil }: UploadInto): UploadIntoBody {
  const { id, vault_id, user_id, display_name, length_bytes: length, received_bytes: offset, expires_at } = row;
  return {
    ...{ id, vault_id, vault_name: vaultName, path, length, offset },
    reserved_until: isoTimeOrNull(reservedUntil),
    expires_at: isoTime(expires_at),
    by: { user_id, display_name },
  };
}

function headersOf({ meta, length, offset, expiresAt }: OpenedUpload): Record<string, string> {
  return {
    'upload-length': `${length}`,
    'upload-offset': `${offset}`,
    'upload-metadata': meta.metadata,
    'upload-expires': httpDate(expiresAt),
  };
}

/** A time as headers write it (RFC 9110, section 5.6.7). */
function httpDate(time: number): string {
  return new Date(time).toUTCString();
}
