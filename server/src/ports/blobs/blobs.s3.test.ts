import { describe } from 'node:test';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { blobsContract } from './blobs.contract.ts';
import { PART_BYTES, s3Blobs } from './s3.ts';

/** `http://key:secret@host:port/bucket?region=…`: an S3 service, and a bucket that is created if missing. */
const given = process.env.TEST_S3_URL;
const skip = given === undefined && 'TEST_S3_URL names no S3 service';
if (skip !== false) process.stderr.write(`NOT TESTED ON A REAL S3 SERVICE: ${skip}\n`);

describe('blobs on a real S3 service', { skip }, () => {
  const url = new URL(given ?? 'http://nowhere');
  const credentials = {
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
  const bucket = url.pathname.slice(1);
  const region = url.searchParams.get('region') ?? 'us-east-1';
  blobsContract('S3', {
    time: 'own',
    large: 2.5 * PART_BYTES,
    async open(clock) {
      const client = new S3Client({ endpoint: url.origin, region, credentials, forcePathStyle: true });
      await client.send(new CreateBucketCommand({ Bucket: bucket })).catch(() => undefined);
      client.destroy();
      const prefix = `test-${process.pid}-${clock.random(4).toString('hex')}/`;
      const blobs = s3Blobs({ bucket, endpoint: url.origin, addressing: 'path', credentials, region, prefix, clock });
      return {
        blobs,
        async close() {
          for await (const page of blobs.list()) await blobs.delete(page.map(({ key }) => key));
          await blobs[Symbol.asyncDispose]();
        },
      };
    },
  });
});
