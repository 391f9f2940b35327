import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { ANSWER_BYTES_MAX, answerJson } from '../src/answer-json.ts';
import { noToken } from '../src/tokens.ts';
import { ConnectionError, Transport } from '../src/transport.ts';
import { VaultClient } from '../src/vault-client.ts';

/** Returns an answer that sends `beginning`, and then `piece` without an end, as far as it is read. */
function endless(piece: string, { beginning = '', status = 200 } = {}) {
  const bytes = new TextEncoder().encode(piece);
  const state = { sent: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(beginning)),
    pull(controller) {
      state.sent += bytes.length;
      controller.enqueue(bytes);
    },
    cancel() {
      state.isCancelled = true;
    },
  });
  return { state, answer: new Response(body, { status }) };
}

const long = 'a'.repeat(MB);
const lists = '[],'.repeat(20_000);
const nested = '['.repeat(60_000);

/** Vault operations on a server that gives one answer. */
function vaultOf(answer: Response): VaultClient {
  const transport = new Transport('https://notes.example.org', noToken, { tries: 1, fetch: async () => answer });
  return new VaultClient(transport, 'v');
}

const operations: Readonly<Record<string, (vault: VaultClient) => Promise<unknown>>> = {
  changes: (vault) => vault.changes(null),
  readNoteById: (vault) => vault.readNoteById('id'),
  deleteNote: (vault) => vault.deleteNote('id'),
};

for (const [name, operation] of Object.entries(operations)) {
  for (const [what, piece] of Object.entries({ text: long, 'empty lists': lists, 'nested lists': nested })) {
    for (const [status, error] of [
      [200, { name: 'ConnectionError', message: 'https://notes.example.org sent more than 256 MB in one answer' }],
      [409, { name: 'ApiError', status: 409, code: 'status 409' }],
    ] as const) {
      test(`VaultClient.${name} cuts off an endless answer of ${what} with status ${status}, and says so`, async () => {
        const { state, answer } = endless(piece, { beginning: what === 'text' ? '"' : '[', status });
        await assert.rejects(operation(vaultOf(answer)), error);
        assert.ok(state.isCancelled, 'the rest is not waited for');
        assert.ok(state.sent <= ANSWER_BYTES_MAX + 2 * piece.length, `${state.sent} bytes were read`);
      });
    }
  }
}

test('Transport reports a response that is not JSON, and ignores the body of a failed one', async () => {
  const page = () => new Response('<html>Sign in to this network</html>');
  await assert.rejects(vaultOf(page()).changes(null), {
    name: 'ConnectionError',
    message: 'https://notes.example.org sent no JSON',
  });
  const failed = new Response('<html>no server</html>', { status: 404 });
  await assert.rejects(vaultOf(failed).readNoteById('id'), { name: 'ApiError', status: 404, code: 'status 404' });
});

test('VaultClient.changes ends the body of an answer that a cursor is no longer valid', async () => {
  const { state, answer } = endless(long, { beginning: '"', status: 410 });
  await assert.rejects(vaultOf(answer).changes('old'), ConnectionError);
  assert.ok(state.isCancelled);
  assert.equal(await vaultOf(Response.json({ error: 'gone' }, { status: 410 })).changes('old'), null);
});

test('answerJson reads characters and escapes that are cut between two pieces', async () => {
  const value = { path: 'ü"\\.md', content: '\u{1f600}'.repeat(5) };
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  for (const size of [1, 3, 7]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    assert.deepEqual(await answerJson(new Response(ReadableStream.from(pieces)), bytes.length + 16), value);
  }
  assert.equal(await answerJson(new Response(null, { status: 204 }), 16), undefined);
});

test('answerJson counts the values of an answer outside of its texts, and parses no more than the limit', async () => {
  const max = 1600;
  const text = JSON.stringify(['[,{"\\'.repeat(150), '\\"', '\\\\']);
  assert.deepEqual(await answerJson(new Response(text), max), JSON.parse(text));
  for (const sent of [
    `[${'0,'.repeat(110)}0]`,
    `[${'[],'.repeat(60)}[]]`,
    '['.repeat(110),
    `["\\"",${'{},'.repeat(99)}{}]`,
  ])
    await assert.rejects(answerJson(new Response(sent), max), RangeError);
});

test('answerJson reads lists in lists as deep as the limit allows', async () => {
  const depth = 1_000_000;
  const answer = new Response('['.repeat(depth) + ']'.repeat(depth));
  let inner = await answerJson(answer);
  for (let at = 1; at < depth; at++) inner = (inner as unknown[])[0];
  assert.deepEqual(inner, []);
});
