import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { decodeBase64 } from '../../../../http/base64.ts';
import type { BodyStream } from '../../../../http/body/body-stream.ts';
import { streamField } from '../../../../http/body/streamed-json.ts';
import { pathFrom } from '../../entries/request-paths.ts';
import type { UploadInput } from '../attachments.ts';

/** Maximum bytes of a file in JSON; larger ones must be sent as raw bytes. */
export const JSON_FILE_MAX = 64 * MB;
const JSON_BODY_MAX = 90 * MB;

/** The metadata of an upload, besides its path. */
export interface UploadFields {
  /** Epoch seconds; undefined when it was not sent or has not arrived yet. */
  mtime(): number | undefined;
  /** All fields of the request except the bytes. */
  fields(): unknown;
}

/** An upload as base64 in JSON, decoded as it arrives: other fields may precede or follow the bytes. */
export async function jsonUpload({ bytes, declaredBytes }: BodyStream): Promise<UploadInput & UploadFields> {
  if ((declaredBytes ?? 0) > JSON_BODY_MAX) throw tooLargeForJson();
  const field = await streamField(bytes, 'content_base64');
  let ended = !field.found;
  if (ended) throw new NotevaultError('content_base64_required');
  async function* content() {
    yield* decodeBase64(field.text);
    ended = true;
  }
  return {
    path() {
      const fields = field.fields();
      if (!ended && fields.path === undefined) return null;
      return pathFrom(checkFields(fields).path, 'path');
    },
    mtime: () => checkFields(field.fields()).mtime ?? undefined,
    fields: () => field.fields(),
    bytes: content(),
    declaredBytes: null,
    limit: { bytes: JSON_FILE_MAX, error: tooLargeForJson },
  };
}

export function rawUpload(call: {
  stream: BodyStream;
  tail: string;
  header(name: string): string | null;
}): UploadInput & UploadFields {
  const { stream, tail } = call;
  const sent = call.header('x-mtime');
  if (sent !== null && !/^-?\d{1,15}(\.\d{1,15})?$/.test(sent)) {
    throw invalid({ 'x-mtime': ['must be a number of epoch seconds'] });
  }
  const mtime = sent === null ? undefined : Number(sent);
  return {
    path: () => tail,
    mtime: () => mtime,
    fields: () => ({ path: tail, mtime }),
    bytes: stream.bytes,
    declaredBytes: stream.declaredBytes,
  };
}

function tooLargeForJson(): NotevaultError {
  return new NotevaultError('use_put', { max: JSON_FILE_MAX });
}

/** Parses the fields other than the bytes. Throws a validation error. */
function checkFields(sent: Readonly<Record<string, unknown>>): { path: string; mtime: number | null | undefined } {
  const { path, mtime, mime_type: type } = sent;
  const faults: Record<string, string[]> = {};
  if (typeof path !== 'string') faults.path = [path === undefined ? 'is required' : 'must be string'];
  const isTime = mtime === undefined || mtime === null || (typeof mtime === 'number' && Number.isFinite(mtime));
  if (!isTime) faults.mtime = ['must be number'];
  if (type !== undefined && type !== null && typeof type !== 'string') faults.mime_type = ['must be string'];
  if (typeof path !== 'string' || !isTime || Object.keys(faults).length > 0) throw invalid(faults);
  return { path, mtime };
}
