import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MB } from '@notevault/protocol/values/byte-units.ts';

const LEAST_PART_BYTES = 5 * MB;
const BUCKET = 'notes';

interface Upload {
  readonly name: string;
  readonly begunAt: Date;
  readonly parts: Map<number, Buffer>;
}

/** One request, with the fields by which faults are selected. */
export interface S3Request {
  /** Method and object: `PUT object`, `PUT part`, `POST upload` (complete), `POST delete`, `GET uploads` … */
  readonly what: string;
  readonly name: string;
  readonly headers: IncomingMessage['headers'];
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer;
}

/** Returns the status and error code with which a request fails, or null to execute it. */
export type S3Fault = (request: S3Request) => { readonly status: number; readonly code: string } | null;

/**
 * The operations of an S3 service that the blobs need, in memory: for faults that a real service does not produce on
 * demand, and for machines without one. It checks no credentials. The same contract suite runs on a real service, which
 * shows that the imitation is faithful.
 */
export class S3Double implements AsyncDisposable {
  static readonly bucket = BUCKET;
  readonly objects = new Map<string, { bytes: Buffer; storedAt: Date }>();
  readonly uploads = new Map<string, Upload>();
  readonly seen: S3Request[] = [];
  fault: S3Fault = () => null;
  partsAtOnce = 0;
  #parts = 0;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error) => response.destroy(error));
  });

  static async start(): Promise<S3Double> {
    const double = new S3Double();
    double.#server.listen(0, '127.0.0.1');
    await once(double.#server, 'listening');
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
    const name = rest.join('/');
    const asked = { what: `${request.method} ${kindOf(url.searchParams, name)}`, name, headers: request.headers };
    this.seen.push(asked);
    const isPart = asked.what === 'PUT part';
    if (isPart) this.partsAtOnce = Math.max(this.partsAtOnce, ++this.#parts);
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    if (isPart) this.#parts--;
    const fault = this.fault(asked) ?? (bucket === BUCKET ? null : { status: 404, code: 'NoSuchBucket' });
    const answer = fault === null ? this.#serve(asked, url.searchParams, body) : failure(fault.status, fault.code);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  #serve({ what, name, headers }: S3Request, query: URLSearchParams, body: Buffer): Answer {
    const id = query.get('uploadId') ?? '';
    const upload = this.uploads.get(id);
    if (id !== '' && upload?.name !== name) return failure(404, 'NoSuchUpload');
    switch (what) {
      case 'PUT object':
        this.objects.set(name, { bytes: body, storedAt: new Date() });
        return xml('', { etag: etagOf(body) });
      case 'GET object':
      case 'HEAD object':
        return this.#give(name, headers.range);
      case 'GET list':
        return this.#list(query);
      case 'POST delete':
        return this.#delete(body, String(headers['content-md5']));
      case 'POST begin': {
        const begun = randomUUID();
        this.uploads.set(begun, { name, begunAt: new Date(), parts: new Map() });
        return xml(`<InitiateMultipartUploadResult><UploadId>${begun}</UploadId></InitiateMultipartUploadResult>`);
      }
      case 'PUT part':
        upload?.parts.set(Number(query.get('partNumber')), body);
        return xml('', { etag: etagOf(body) });
      case 'POST upload':
        return this.#complete(id, upload, body.toString());
      case 'DELETE upload':
        this.uploads.delete(id);
        return xml('', {}, 204);
      case 'GET uploads':
        return this.#listUploads(query.get('prefix') ?? '');
      default:
        return failure(501, 'NotImplemented');
    }
  }

  #give(name: string, range: string | undefined): Answer {
    const found = this.objects.get(name);
    if (found === undefined) return failure(404, 'NoSuchKey');
    const size = found.bytes.length;
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    if (from === undefined) return { status: 200, headers: {}, body: found.bytes };
    if (Number(from) >= size) return failure(416, 'InvalidRange');
    const bytes = found.bytes.subarray(Number(from), Number(to) + 1);
    const last = Number(from) + bytes.length - 1;
    return { status: 206, headers: { 'content-range': `bytes ${from}-${last}/${size}` }, body: bytes };
  }

  #list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const most = Number(query.get('max-keys') ?? 1000);
    const names = [...this.objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const page = names.slice(0, most);
    const contents = page.map((name) => {
      const storedAt = this.objects.get(name)?.storedAt.toISOString();
      return `<Contents><Key>${name}</Key><LastModified>${storedAt}</LastModified></Contents>`;
    });
    const next = names.length > most ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const truncated = `<IsTruncated>${names.length > most}</IsTruncated>`;
    return xml(`<ListBucketResult>${truncated}${next}${contents.join('')}</ListBucketResult>`);
  }

  #delete(body: Buffer, md5: string): Answer {
    if (md5 !== createHash('md5').update(body).digest('base64')) return failure(400, 'BadDigest');
    for (const [, name = ''] of body.toString().matchAll(/<Key>(.*?)<\/Key>/g)) this.objects.delete(name);
    return xml('<DeleteResult></DeleteResult>');
  }

  #complete(id: string, upload: Upload | undefined, body: string): Answer {
    const bytes: Buffer[] = [];
    for (const [, part = ''] of body.matchAll(/<Part>(.*?)<\/Part>/gs)) {
      const number = Number(/<PartNumber>(\d+)</.exec(part)?.[1]);
      const etag = /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll('&quot;', '"');
      const found = upload?.parts.get(number);
      if (found === undefined || etag !== etagOf(found)) return failure(400, 'InvalidPart');
      if (number !== bytes.length + 1) return failure(400, 'InvalidPartOrder');
      bytes.push(found);
    }
    if (bytes.slice(0, -1).some((part) => part.length < LEAST_PART_BYTES)) return failure(400, 'EntityTooSmall');
    this.objects.set(upload?.name ?? '', { bytes: Buffer.concat(bytes), storedAt: new Date() });
    this.uploads.delete(id);
    return xml('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
  }

  #listUploads(prefix: string): Answer {
    const found = [...this.uploads].filter(([, { name }]) => name.startsWith(prefix));
    const uploads = found.map(
      ([id, { name, begunAt }]) =>
        `<Upload><Key>${name}</Key><UploadId>${id}</UploadId><Initiated>${begunAt.toISOString()}</Initiated></Upload>`,
    );
    return xml(`<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`);
  }
}

function kindOf(query: URLSearchParams, name: string): string {
  if (name === '') return query.has('delete') ? 'delete' : query.has('uploads') ? 'uploads' : 'list';
  if (query.has('partNumber')) return 'part';
  if (query.has('uploads')) return 'begin';
  if (!query.has('uploadId')) return 'object';
  return 'upload';
}

const etagOf = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;

function xml(body: string, headers: Record<string, string> = {}, status = 200): Answer {
  const type = { 'content-type': 'application/xml' };
  return { status, headers: { ...headers, ...type }, body: body && `<?xml version="1.0" encoding="UTF-8"?>${body}` };
}

function failure(status: number, code: string): Answer {
  return xml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`, {}, status);
}
