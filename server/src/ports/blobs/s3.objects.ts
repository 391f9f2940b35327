import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BlobError, LIST_PAGE } from './blobs.ts';

export interface BucketOptions {
  readonly bucket: string;
  readonly endpoint: string | null;
  /** Whether URLs name the bucket in the path or in the host name. */
  readonly addressing: 'path' | 'host';
  /** Credentials; by default they are read where AWS tools look: environment, files, the machine's role. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly region?: string;
}

export interface StoredPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

const CONNECT_MS = 5000;
/** Timeout of one attempt of one request, long enough to upload a part over a slow line. */
const REQUEST_MS = 120_000;
const IDLE_MS = 30_000;
const TRIES = 3;

/** The S3 operations that blobs need, on one bucket. A request that failed three times rejects with a BlobError. */
export class Bucket implements Disposable {
  readonly #client: S3Client;
  readonly #bucket: { readonly Bucket: string };

  constructor({ bucket, endpoint, addressing, credentials, region }: BucketOptions) {
    this.#bucket = { Bucket: bucket };
    this.#client = new S3Client({
      ...(endpoint === null ? {} : { endpoint }),
      ...(credentials === undefined ? {} : { credentials }),
      ...(region === undefined ? {} : { region }),
      forcePathStyle: addressing === 'path',
      maxAttempts: TRIES,
      // Sealed bytes are authenticated already, and many services other than AWS refuse requests with these checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: REQUEST_MS,
        throwOnRequestTimeout: true,
        socketTimeout: IDLE_MS,
      },
    });
    addContentMd5(this.#client);
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }

  async put(name: string, bytes: Buffer): Promise<void> {
    const command = new PutObjectCommand({ ...this.#bucket, Key: name, Body: bytes, ContentLength: bytes.length });
    await sendCommand(() => this.#client.send(command));
  }

  /** A part of an object, up to `end` or its own end, and the size of the whole; null when there is no such object. */
  async get(name: string, start: number, end: number): Promise<{ bytes: Uint8Array; size: number } | null> {
    const command = new GetObjectCommand({ ...this.#bucket, Key: name, Range: `bytes=${start}-${end - 1}` });
    return sendCommand(async () => {
      try {
        const { Body, ContentRange } = await this.#client.send(command);
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
        const size = Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1] ?? bytes.length);
        return { bytes, size };
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return null;
        // There are no bytes from `start` on: an empty object satisfies no range.
        if (statusOf(error) === 416) return { bytes: new Uint8Array(), size: 0 };
        throw error;
      }
    });
  }

  async has(name: string): Promise<boolean> {
    return sendCommand(async () => {
      try {
        await this.#client.send(new HeadObjectCommand({ ...this.#bucket, Key: name }));
        return true;
      } catch (error) {
        if (statusOf(error) === 404) return false;
        throw error;
      }
    });
  }

  /** @param names at most LIST_PAGE names. */
  async delete(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const Delete = { Objects: names.map((Key) => ({ Key })), Quiet: true };
    const { Errors } = await sendCommand(() =>
      this.#client.send(new DeleteObjectsCommand({ ...this.#bucket, Delete })),
    );
    const failed = (Errors ?? []).find(({ Code }) => Code !== 'NoSuchKey');
    if (failed !== undefined) throw new BlobError('unavailable', `S3 did not delete an object (${failed.Code}).`);
  }

  /** Returns a page of the objects whose names begin with `prefix`, and the token of the next page. */
  async list(prefix: string, from: string | undefined) {
    const token = from === undefined ? {} : { ContinuationToken: from };
    const command = new ListObjectsV2Command({ ...this.#bucket, Prefix: prefix, MaxKeys: LIST_PAGE, ...token });
    const { Contents, IsTruncated, NextContinuationToken } = await sendCommand(() => this.#client.send(command));
    const objects = (Contents ?? []).map(({ Key, LastModified }) => ({ name: Key ?? '', storedAt: LastModified }));
    return { objects, next: IsTruncated === true ? NextContinuationToken : undefined };
  }

  /** Starts a multipart upload; resolves to its id. */
  async begin(name: string): Promise<string> {
    const { UploadId } = await sendCommand(() =>
      this.#client.send(new CreateMultipartUploadCommand({ ...this.#bucket, Key: name })),
    );
    if (UploadId === undefined) throw new BlobError('unavailable', 'S3 returned no id for an upload.');
    return UploadId;
  }

  /** @param number from 1. */
  async putPart(name: string, upload: string, number: number, bytes: Buffer): Promise<StoredPart> {
    const part = { Key: name, UploadId: upload, PartNumber: number, Body: bytes, ContentLength: bytes.length };
    const { ETag } = await sendCommand(() => this.#client.send(new UploadPartCommand({ ...this.#bucket, ...part })));
    return { PartNumber: number, ETag };
  }

  async complete(name: string, upload: string, parts: readonly StoredPart[]): Promise<void> {
    const whole = { Key: name, UploadId: upload, MultipartUpload: { Parts: [...parts] } };
    await sendCommand(() => this.#client.send(new CompleteMultipartUploadCommand({ ...this.#bucket, ...whole })));
  }

  async abort(name: string, upload: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#bucket, Key: name, UploadId: upload });
    await sendCommand(async () => {
      try {
        await this.#client.send(command);
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
      }
    });
  }

  /** Returns up to a page of the unfinished uploads to names that begin with `prefix`. */
  async unfinished(prefix: string) {
    const command = new ListMultipartUploadsCommand({ ...this.#bucket, Prefix: prefix, MaxUploads: LIST_PAGE });
    const { Uploads } = await sendCommand(() => this.#client.send(command));
    return (Uploads ?? []).map(({ Key, UploadId, Initiated }) => ({ name: Key, upload: UploadId, begunAt: Initiated }));
  }
}

/** DeleteObjects requires a checksum, and MD5 is the one that every service supports. */
function addContentMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const request = args.request as { headers: Record<string, string>; body?: unknown };
      if (typeof request.body === 'string') {
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
      }
      return next(args);
    },
    { step: 'build', name: 'contentMd5', priority: 'low' },
  );
}

async function sendCommand<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { name, message } = error as Error;
    const status = statusOf(error);
    const full = status === 507 || /QuotaExceeded|StorageFull/.test(name);
    const why = status === undefined ? message : `${name}, status ${status}`;
    throw new BlobError(full ? 'full' : 'unavailable', `S3 cannot be used (${why}).`, error);
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
