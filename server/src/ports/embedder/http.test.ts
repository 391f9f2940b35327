import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { listen } from '../../../test/kit/programs/free-port.ts';
import { builtinEmbedder } from './builtin.ts';
import { dot, embedderContract } from './embedder.contract.ts';
import { type Embedder, EmbedderError } from './embedder.ts';
import { httpEmbedder } from './http.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const KEY = 'sk-a-secret-of-alice';
const signal = new AbortController().signal;
const asked = { signal, idf: async (words: readonly string[]) => words.map(() => 1) };
const passages = (...texts: string[]) => texts.map((text) => ({ about: '', text }));

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: { model: string; input: string[] };
}
/** Answers a call itself and returns true, or leaves it to the server to answer with correct vectors. */
type Fault = (call: Call, response: ServerResponse, vectors: Float32Array[]) => boolean;

/** An embedding server that answers with the given faults, one per call. */
async function fakeServer() {
  const builtin = builtinEmbedder();
  const calls: Call[] = [];
  const faults: Fault[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const call = { headers: request.headers, body: JSON.parse(text) };
    calls.push(call);
    const vectors = await builtin.embedPassages(passages(...call.body.input), signal);
    if (request.url !== '/v1/embeddings' || faults.shift()?.(call, response, vectors)) return;
    answer(response, vectors);
  });
  const listening = await listen(server);
  return { ...listening, url: `${listening.url}/v1`, calls, faults };
}

function answer(response: ServerResponse, vectors: readonly Float32Array[], status = 200): void {
  // In any order: the index says to which text each belongs.
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: [...vector] })).reverse();
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
}

const status =
  (code: number, headers: Record<string, string> = {}): Fault =>
  (_, response) => {
    response.writeHead(code, headers).end('{"error":{"message":"no"}}');
    return true;
  };
const wrong =
  (change: (vectors: Float32Array[]) => Float32Array[]): Fault =>
  (_, response, vectors) => {
    answer(response, change(vectors));
    return true;
  };

const fake = await fakeServer();
after(() => fake[Symbol.asyncDispose]());

function embedder(waits: number[] = [], timeoutMs = 5000): Embedder {
  return httpEmbedder({
    url: `${fake.url}/`,
    model: 'small-embed',
    key: KEY,
    now: () => NOW,
    jitter: () => 0,
    timeoutMs,
    delay: async (ms) => {
      waits.push(ms);
    },
  });
}

/** Embeds with these faults in the way (the first call requests the dimensions); returns the outcome. */
async function embedAgainst(
  faults: readonly Fault[],
  texts = ['a river'],
  waits: number[] = [],
  timeoutMs?: number,
): Promise<Float32Array[]> {
  const one = embedder(waits, timeoutMs);
  fake.faults.length = 0;
  await one.space(signal);
  fake.calls.length = 0;
  fake.faults.splice(0, fake.faults.length, ...faults);
  return one.embedPassages(passages(...texts), signal);
}

const failsWith = (code: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof EmbedderError, inspect(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  assert.ok(!inspect(error, { depth: 9 }).includes(KEY), 'the key is told');
  return true;
};

embedderContract('the http embedder', async () => embedder());

describe('the http embedder', () => {
  test('the http embedder sends model, texts and key, in batches, and orders the vectors like the texts', async () => {
    const texts = Array.from({ length: 150 }, (_, index) => `text ${index}`);
    const vectors = await embedAgainst([], texts);
    assert.deepEqual(
      fake.calls.map(({ body }) => body.input.length),
      [64, 64, 22],
    );
    assert.equal(fake.calls[0]?.body.model, 'small-embed');
    assert.equal(fake.calls[0]?.headers.authorization, `Bearer ${KEY}`);
    const direct = await builtinEmbedder().embedPassages(passages(...texts), signal);
    assert.ok(vectors.every((vector, index) => dot(vector, direct[index] ?? vector) > 0.999));
  });
  test('the http embedder makes smaller batches of long texts', async () => {
    await embedAgainst(
      [],
      Array.from({ length: 5 }, () => 'x'.repeat(90_000)),
    );
    assert.deepEqual(
      fake.calls.map(({ body }) => body.input.length),
      [2, 2, 1],
    );
  });
  test('requests the dimensions once', async () => {
    const one = embedder();
    fake.calls.length = 0;
    await Promise.all([one.space(signal), one.space(signal), one.embedQuery('x', asked)]);
    assert.equal(fake.calls.length, 2);
    assert.equal((await one.space(signal)).id, 'http:small-embed:512');
  });
  test('requests the dimensions again after a failure', async () => {
    const one = embedder();
    fake.faults.push(status(401));
    await assert.rejects(one.space(signal), failsWith('unusable', /401/));
    assert.equal((await one.space(signal)).dimensions, 512);
  });
  for (const code of [429, 500, 503]) {
    test(`the http embedder retries after ${code}, waiting longer each time`, async () => {
      const waits: number[] = [];
      const vectors = await embedAgainst([status(code), status(code)], ['a river'], waits);
      assert.equal(vectors.length, 1);
      assert.deepEqual(waits, [500, 1000]);
    });
  }
  test('the http embedder waits as long as Retry-After says', async () => {
    const waits: number[] = [];
    const soon = new Date(NOW + 7000).toUTCString();
    await embedAgainst([status(429, { 'retry-after': '3' }), status(503, { 'retry-after': soon })], ['a'], waits);
    assert.equal(waits[0], 3000);
    assert.equal(waits[1], 7000);
  });
  test('the http embedder gives up when asked for a long wait, and reports how long', async () => {
    await assert.rejects(embedAgainst([status(429, { 'retry-after': '120' })]), (error: EmbedderError) => {
      assert.equal(error.retryAfterMs, 120_000);
      return failsWith('unavailable', /429/)(error);
    });
  });
  test('the http embedder gives up after four attempts', async () => {
    await assert.rejects(embedAgainst(Array.from({ length: 9 }, () => status(503))), failsWith('unavailable', /503/));
    assert.equal(fake.calls.length, 4);
  });
  test('the http embedder retries a server that does not answer, then reports it unavailable', async () => {
    const silent: Fault = () => true;
    const against = (...faults: Fault[]) => embedAgainst(faults, ['a river'], [], 500);
    assert.equal((await against(silent)).length, 1);
    await assert.rejects(against(silent, silent, silent, silent), failsWith('unavailable', /within 500 ms/));
  });
  test('the http embedder retries a connection that breaks', async () => {
    const broken: Fault = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"data":[');
      response.destroy();
      return true;
    };
    assert.equal((await embedAgainst([broken, broken])).length, 1);
  });
  test('the http embedder reports an unreachable server as unavailable', async () => {
    const nowhere = httpEmbedder({
      url: 'http://127.0.0.1:1',
      model: 'm',
      key: KEY,
      now: () => NOW,
      jitter: () => 0,
      delay: async () => undefined,
    });
    await assert.rejects(nowhere.space(signal), failsWith('unavailable', /cannot be reached/));
  });
  for (const code of [400, 413, 422]) {
    test(`the http embedder does not retry ${code}, which is about the texts`, async () => {
      await assert.rejects(embedAgainst([status(code)]), failsWith('refused', new RegExp(`${code}`)));
      assert.equal(fake.calls.length, 1);
    });
  }
  test('the http embedder reports a refused key, a wrong address and a redirect to the operator', async () => {
    for (const [code, hint] of [
      [401, /EMBEDDER_KEY/],
      [403, /EMBEDDER_KEY/],
      [404, /EMBEDDER_URL/],
    ] as const) {
      await assert.rejects(embedAgainst([status(code)]), failsWith('unusable', hint));
    }
    await assert.rejects(
      embedAgainst([status(307, { location: `${fake.url}/embeddings` })]),
      failsWith('unusable', /307/),
    );
    assert.equal(fake.calls.length, 1, 'the redirect was followed');
  });
  test('the http embedder distinguishes a wrong count, a wrong dimension, NaN and nonsense in the vectors', async () => {
    const two = ['a', 'b'];
    await assert.rejects(embedAgainst([wrong((v) => v.slice(1))], two), failsWith('unusable', /1 vectors for 2/));
    await assert.rejects(
      embedAgainst([wrong((v) => v.map((vector) => vector.subarray(1)))]),
      failsWith('unusable', /511 dimensions instead of 512/),
    );
    const nan: Fault = (_, response) => {
      response.end(JSON.stringify({ data: [{ index: 0, embedding: [null, ...Array(511).fill(0)] }] }));
      return true;
    };
    await assert.rejects(embedAgainst([nan]), failsWith('unusable', /not numbers/));
    const huge: Fault = (_, response) => {
      response.end(`{"data":[{"index":0,"embedding":[1e999${',0'.repeat(511)}]}]}`);
      return true;
    };
    await assert.rejects(embedAgainst([huge]), failsWith('unusable', /not numbers/));
    const twice: Fault = (_, response, vectors) => {
      const embedding = [...(vectors[0] ?? [])];
      response.end(
        JSON.stringify({
          data: [
            { index: 0, embedding },
            { index: 0, embedding },
          ],
        }),
      );
      return true;
    };
    await assert.rejects(embedAgainst([twice], two), failsWith('unusable', /one vector for each/));
    for (const body of ['<html>', '{}', 'null', '{"data":{}}']) {
      const nonsense: Fault = (_, response) => {
        response.end(body);
        return true;
      };
      await assert.rejects(embedAgainst([nonsense]), failsWith('unusable', /answer with JSON|no list/), body);
    }
  });
  test('the http embedder stops reading an answer without end', async () => {
    const endless: Fault = (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(1_000_000)));
      };
      response.on('drain', more);
      more();
      return true;
    };
    const one = embedder([], 20_000);
    await one.space(signal);
    fake.faults.push(endless);
    await assert.rejects(one.embedPassages(passages('a'), signal), failsWith('unusable', /too large/));
  });
  test('the http embedder ends the call when it is aborted while waiting', async () => {
    const controller = new AbortController();
    const one = httpEmbedder({
      url: fake.url,
      model: 'm',
      key: null,
      now: () => NOW,
      jitter: () => 0,
      delay: async () => controller.abort(new Error('enough')),
    });
    fake.faults.push(status(503));
    await assert.rejects(one.space(controller.signal), /enough/);
  });
});
