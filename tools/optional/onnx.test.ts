import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { systemClock } from '@notevault/server/ports/clock/clock.ts';
import { dot, embedderContract } from '@notevault/server/ports/embedder/embedder.contract.ts';
import { EmbedderError } from '@notevault/server/ports/embedder/embedder.ts';
import { onnxEmbedder } from '@notevault/server/ports/embedder/onnx.ts';
import { ThreadedEmbedder } from '@notevault/server/ports/embedder/threaded.ts';
import { tinyModel, writeTinyModel } from '../../server/test/kit/content/tiny-model.ts';
import { scratchFolder } from '../../server/test/kit/scratch.ts';

const folder = scratchFolder('test');
after(() => rm(folder, { recursive: true, force: true }));
await writeTinyModel(folder);

const signal = new AbortController().signal;
const asked = { signal, idf: async (words: readonly string[]) => words.map(() => 1) };
const passages = (...texts: string[]) => texts.map((text) => ({ about: '', text }));
const inThread = (own: string) =>
  new ThreadedEmbedder('tiny', { kind: 'onnx', folder: own, threads: 1 }, systemClock());

embedderContract('a model in a folder', async () => onnxEmbedder({ folder, threads: 1 }));
embedderContract('a model in a thread', async () => inThread(folder));

/** Creates a copy of the tiny model with some files replaced. */
async function variant(name: string, files: Record<string, string | Buffer | null>): Promise<string> {
  const own = join(folder, name);
  await writeTinyModel(own, files);
  return own;
}

const failsWith = (code: string, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof EmbedderError);
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

describe('the onnx embedder', () => {
  test('the onnx embedder’s space names folder, weights and settings, so equal ids mean equal vectors', async () => {
    const prompts = {
      'config_sentence_transformers.json': JSON.stringify({ prompts: { query: 'query: ', passage: 'passage: ' } }),
    };
    const ids = new Set<string>();
    for (const [at, files] of [
      {},
      { 'model.onnx': Buffer.concat([tinyModel(), Buffer.from([0x12, 1, 0x61])]) },
      prompts,
    ].entries()) {
      await using embedder = onnxEmbedder({ folder: await variant(`v${at}/tiny`, files), threads: 1 });
      const space = await embedder.space(signal);
      assert.match(space.id, /^onnx:tiny:[0-9a-f]{12}:32$/);
      assert.deepEqual([space.dimensions, space.maxTokens, embedder.name], [32, 64, 'tiny']);
      ids.add(space.id);
    }
    assert.equal(ids.size, 3);
  });
  test('the onnx embedder takes the mean over tokens, or the first token where the model is made so', async () => {
    const pooling = { '1_Pooling/config.json': JSON.stringify({ pooling_mode_cls_token: true }) };
    await using mean = onnxEmbedder({ folder, threads: 1 });
    await using first = onnxEmbedder({ folder: await variant('cls', pooling), threads: 1 });
    const [meanOf] = await mean.embedPassages(passages('a'), signal);
    const [firstOf] = await first.embedPassages(passages('a'), signal);
    assert.ok(meanOf?.some((value) => value !== 0));
    // The first token is [CLS], whose vector in the tiny model is zero.
    assert.ok(firstOf?.every((value) => value === 0));
  });
  test("the onnx embedder puts the model's prompts before queries and passages", async () => {
    const prompts = {
      'config_sentence_transformers.json': JSON.stringify({ prompts: { query: 'zz', document: 'river' } }),
    };
    await using plain = onnxEmbedder({ folder, threads: 1 });
    await using prompted = onnxEmbedder({ folder: await variant('prompts', prompts), threads: 1 });
    const [river] = await plain.embedPassages(passages('riverbed'), signal);
    const [bed] = await prompted.embedPassages(passages('bed'), signal);
    assert.ok(river !== undefined && bed !== undefined && dot(river, bed) > 0.999);
    const query = await prompted.embedQuery('z', asked);
    assert.ok(dot(query, await plain.embedQuery('zzz', asked)) > 0.999);
  });
  test('the onnx embedder makes the mean of its parts for a text longer than the model accepts', async () => {
    await using embedder = onnxEmbedder({ folder, threads: 1 });
    // 62 letters fit into a window, beside [CLS] and [SEP].
    const [both, a, b] = await embedder.embedPassages(
      passages(`${'a'.repeat(62)} ${'b'.repeat(62)}`, 'a'.repeat(62), 'b'.repeat(62)),
      signal,
    );
    assert.ok(both !== undefined && a !== undefined && b !== undefined);
    assert.ok(dot(both, a) > 0.5 && dot(both, b) > 0.5, `${dot(both, a)} ${dot(both, b)}`);
  });
  test('the onnx embedder finds the model in the folder `onnx` too', async () => {
    const own = await variant('deep', { 'model.onnx': null });
    await writeTinyModel(join(own, 'onnx'));
    await using embedder = onnxEmbedder({ folder: own, threads: 1 });
    assert.equal((await embedder.space(signal)).dimensions, 32);
  });
  for (const [name, files, message] of [
    ['no-model', { 'model.onnx': null }, /no model\.onnx/],
    ['no-tokenizer', { 'tokenizer.json': null }, /no tokenizer\.json/],
    ['broken', { 'model.onnx': Buffer.from('not a model') }, /cannot be run/],
    ['broken-tokenizer', { 'tokenizer.json': '{' }, /cannot be run/],
  ] as const) {
    test(`the onnx embedder reports what is wrong with a folder: ${name}`, async () => {
      const own = await variant(name, files);
      await using here = onnxEmbedder({ folder: own, threads: 1 });
      await assert.rejects(here.space(signal), failsWith('unusable', message));
      await using there = inThread(own);
      await assert.rejects(there.embedPassages(passages('a'), signal), failsWith('unusable', message));
      await assert.rejects(there.embedQuery('a', asked), failsWith('unusable', message));
    });
  }
});

describe('the threaded embedder', () => {
  test('the threaded embedder embeds a query before the rest of a long list', async () => {
    await using embedder = inThread(folder);
    await embedder.space(signal);
    const order: string[] = [];
    const many = embedder.embedPassages(passages(...Array.from({ length: 800 }, (_, at) => `text ${at}`)), signal);
    await Promise.all([
      many.then(() => order.push('passages')),
      embedder.embedQuery('river', asked).then(() => order.push('query')),
    ]);
    assert.deepEqual(order, ['query', 'passages']);
  });
  test('the threaded embedder ends a call at once when it is aborted, and keeps its thread', async () => {
    await using embedder = inThread(folder);
    const controller = new AbortController();
    const many = embedder.embedPassages(
      passages(...Array.from({ length: 5000 }, (_, at) => `text ${at}`)),
      controller.signal,
    );
    controller.abort(new Error('enough'));
    await assert.rejects(many, /enough/);
    assert.equal((await embedder.embedQuery('river', asked)).length, 32);
  });
  test('the threaded embedder fails calls under way when it is closed', async () => {
    const embedder = inThread(folder);
    const many = embedder.embedPassages(passages(...Array.from({ length: 500 }, (_, at) => `text ${at}`)), signal);
    const failed = assert.rejects(many, failsWith('unavailable', /closed/));
    await embedder[Symbol.asyncDispose]();
    await failed;
  });
});
