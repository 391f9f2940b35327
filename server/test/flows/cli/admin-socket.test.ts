import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { adminSocketPath } from '../../../src/data/data-folder.ts';
import { assertCatalogued, type RawAnswer } from '../../kit/clients/raw-http.ts';
import { cli, Folder, startServe } from '../../kit/programs/process.ts';

describe('the admin socket', () => {
  it('the admin socket answers errors in the shape of the API, and the command line explains them', async () => {
    using folder = new Folder();
    const env = { NOTEVAULT_DATA_DIR: folder.at('data') };
    await using server = await startServe({ env });
    const ask = (method: string, path: string, body?: string) => {
      return exchange(adminSocketPath(folder.at('data')), method, path, body);
    };
    const unknown = await ask('POST', '/setPlan', JSON.stringify(['nobody@example.org', 'free']));
    assertCatalogued(unknown, 404, 'account_not_found');
    assertCatalogued(await ask('POST', '/nothing', '[]'), 404, 'not_found');
    assertCatalogued(await ask('POST', '/invite', '['), 400, 'invalid_json');
    const wrong = await ask('DELETE', '/invite');
    assertCatalogued(wrong, 405, 'method_not_allowed');
    assert.equal(wrong.headers.get('allow'), 'POST');
    for (const body of ['{}', '7', 'null', undefined]) {
      const { status, body: said, headers } = await ask('POST', '/invite', body);
      assert.deepEqual(
        [status, JSON.parse(said)],
        [422, { errors: { body: ['must be a list of arguments'] } }],
        `${body}`,
      );
      assert.ok(headers.has('x-request-id'));
    }
    const short = await ask('POST', '/createUser', JSON.stringify(['alice@example.org', 'short', 'member']));
    assert.deepEqual([short.status, JSON.parse(short.body).error], [422, 'password_too_short']);
    const made = await ask('POST', '/createUser', JSON.stringify(['alice@example.org', 'long enough', 'member']));
    assert.deepEqual(JSON.parse(made.body), { result: { email: 'alice@example.org', role: 'admin' } });

    const explained: [args: string[], says: string][] = [
      [['set-plan', 'nobody@example.org', 'free'], 'notevault: No account has this e-mail.\n'],
      [['create-user', 'bob@example.org', '--password-stdin'], 'notevault: A password needs at least 8 characters.\n'],
      [['set-plan', 'alice@example.org', 'gold'], 'notevault: plan must be one of self_hosted, free, pro.\n'],
    ];
    for (const [args, says] of explained) {
      const { code, stderr } = await cli(['admin', ...args], { env, input: 'short\n' });
      assert.deepEqual([code, stderr], [1, says]);
    }
    const { code, stdout } = await server.stop();
    assert.equal(code, 0);
    const [first = ''] = stdout.split('\n');
    assert.equal(JSON.parse(first).msg, 'the admin socket listens', 'the first line of the log can be read');
  });
});

async function exchange(socketPath: string, method: string, path: string, body?: string): Promise<RawAnswer> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const asked = request({ socketPath, method, path, headers });
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  asked.on('error', reject).on('response', (answer) => {
    const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
    text(answer).then(
      (said) => resolve({ status: answer.statusCode ?? 0, headers: new Map(named), body: said }),
      reject,
    );
  });
  asked.end(body);
  return promise;
}
