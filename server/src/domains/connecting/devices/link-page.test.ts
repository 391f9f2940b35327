import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, fieldsOf } from '../../../../test/kit/clients/oauth.ts';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { startServer, type TestServer } from '../../../../test/kit/server.ts';
import { setUpTotp } from '../../../../test/kit/totp.ts';

const start = (open: Parameters<typeof startServer>[0]['open']) =>
  startServer({ open, config: { publicUrl: 'https://notes.example' } });

async function begin({ anyone }: TestServer, names: object = {}) {
  const { body } = await anyone.post('/auth/device', names);
  return body as { device_code: string; user_code: string; verification_uri_complete: string };
}
const poll = ({ anyone }: TestServer, device_code: string) => anyone.post('/auth/device/token', { device_code });

/** The page on which alice decides. */
async function signedIn(
  server: TestServer,
  link: { verification_uri_complete: string },
  browser = new Browser(server),
) {
  const { alice } = server;
  await alice.signed();
  const page = await browser.open(link.verification_uri_complete);
  return browser.submit(page, 'sign-in', { email: alice.email, password: alice.password });
}

onSqlite('the page of a device link', (open) => {
  test('leads from the address that the device shows to a linked vault', async () => {
    await using server = await start(open);
    const home = (await server.alice.post('/vaults', { name: 'Home <b>' })).body.vault.id;
    const link = await begin(server, { device_name: 'Pad <script>', vault_name: 'Notes' });
    const browser = new Browser(server);
    const first = await browser.open(link.verification_uri_complete);
    assert.deepEqual([first.status, fieldsOf(first.text).code], [200, link.user_code]);
    const choice = await signedIn(server, link, browser);
    assert.match(choice.text, /<h1>Link Pad &lt;script&gt;\?<\/h1>/);
    assert.ok(choice.text.includes('Home &lt;b&gt;') && choice.text.includes('New vault: Notes'));
    assert.equal(fieldsOf(choice.text).vault, home, 'the default vault is proposed');
    const done = await browser.submit(choice, 'allow');
    assert.match(done.text, /<h1>Linked<\/h1>/);
    for (const { headers } of [first, choice, done]) {
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; .*frame-ancestors 'none'$/);
      assert.deepEqual(headers.getSetCookie(), []);
    }
    assert.equal((await poll(server, link.device_code)).body.vault_id, home);
    const again = await browser.submit(choice, 'allow', { vault: home });
    assert.deepEqual([again.status, /Linked/.test(again.text)], [404, false]);
  });

  test('the page of a device link that was opened while the clock was ahead decides nothing once it is right', async () => {
    await using server = await start(open);
    await server.alice.post('/vaults', { name: 'Home' });
    server.clock.shiftWall({ days: 400 });
    const browser = new Browser(server);
    const choice = await signedIn(server, await begin(server), browser);
    server.clock.shiftWall({ days: -400 });
    const late = await browser.submit(choice, 'allow');
    assert.deepEqual([late.status, /Linked/.test(late.text)], [400, false]);
  });

  test('asks for the second factor of an account that has one, once more after a wrong code', async () => {
    await using server = await start(open);
    await server.alice.signed();
    const app = await setUpTotp(server.alice, server.clock);
    const browser = new Browser(server);
    const link = await begin(server, { device_name: 'Pad', vault_name: 'Notes' });
    const asked = await signedIn(server, link, browser);
    assert.equal(fieldsOf(asked.text).code, link.user_code);
    assert.ok(!asked.text.includes('value="allow"'));
    const wrong = await browser.submit(asked, 'code', { second_factor: app.wrong() });
    assert.deepEqual([wrong.status, /role="alert">This code is wrong/.test(wrong.text)], [403, true]);
    const choice = await browser.submit(wrong, 'code', { second_factor: app.next() });
    assert.equal((await browser.submit(choice, 'allow', { vault: 'new' })).status, 200);
    assert.equal((await poll(server, link.device_code)).status, 200);
    const over = await browser.submit(wrong, 'code', { second_factor: app.next() });
    assert.deepEqual([over.status, /id="password"/.test(over.text)], [401, true]);
  });

  test('speaks the language of the browser, and of the person once that is known', async () => {
    await using server = await start(open);
    const link = await begin(server, { device_name: 'Pad' });
    const browser = new Browser(server);
    const german = { 'accept-language': 'fr, de-AT;q=0.8, en;q=0.5' };
    const first = await browser.open(link.verification_uri_complete, { headers: german });
    assert.match(first.text, /<html lang="de">.*<h1>Ein Gerät verbinden<\/h1>/s);
    const { alice } = server;
    await alice.signed();
    const fields = { ...fieldsOf(first.text), step: 'sign-in', email: alice.email };
    const wrong = await browser.send(first, { ...fields, password: 'wrong' }, german);
    assert.match(wrong.text, /role="alert">E-Mail oder Passwort stimmt nicht\./);
    await alice.patch('/me', { locale: 'ja-JP' });
    const choice = await browser.send(first, { ...fields, password: alice.password }, german);
    assert.match(choice.text, /<html lang="ja">.*<h1>Pad をリンクしますか\?<\/h1>/s);
    const foreign = await browser.send(
      choice,
      { token: 'x', step: 'deny' },
      { ...german, origin: 'https://evil.example' },
    );
    assert.match(foreign.text, /<html lang="de">.*Das Formular kam nicht von einer Seite dieses Servers\./s);
    const done = await browser.send(choice, { ...fieldsOf(choice.text), step: 'deny' }, german);
    assert.match(done.text, /<html lang="ja">.*<h1>拒否しました<\/h1>/s);
  });

  test('can create a vault, or refuse the device', async () => {
    await using server = await start(open);
    const [made, refused] = [await begin(server, { vault_name: 'Notes' }), await begin(server)];
    const browser = new Browser(server);
    await browser.submit(await signedIn(server, made), 'allow', { vault: 'new' });
    assert.equal((await poll(server, made.device_code)).status, 200);
    assert.equal((await server.alice.get('/vaults')).body.vaults[0].name, 'Notes');
    assert.match((await browser.submit(await signedIn(server, refused), 'deny')).text, /<h1>Denied<\/h1>/);
    assert.deepEqual((await poll(server, refused.device_code)).body, { error: 'access_denied' });
  });

  test('refuses a wrong password, a wrong code, a form of another site and a made-up token', async () => {
    await using server = await start(open);
    const link = await begin(server);
    const bobs = (await server.bob.post('/vaults', { name: 'Bob’s' })).body.vault.id;
    const browser = new Browser(server);
    const page = await browser.open(link.verification_uri_complete);
    const { email, password } = server.alice;
    await server.alice.signed();
    const wrong = [
      [{ email, password: 'wrong' }, 401],
      [{ email, password, code: 'BBBB-BBBB' }, 404],
      [{ email: '', password: '' }, 422],
    ] as const;
    for (const [values, status] of wrong) {
      const answer = await browser.submit(page, 'sign-in', values);
      assert.equal(answer.status, status);
      assert.match(answer.text, /role="alert"/);
      assert.ok(!answer.text.includes(password), 'a password is not sent back');
    }
    const fields = { ...fieldsOf(page.text), step: 'sign-in', email, password };
    assert.equal((await browser.send(page, fields, { origin: 'https://evil.example' })).status, 403);
    const choice = await signedIn(server, link);
    const { token = '' } = fieldsOf(choice.text);
    for (const made of ['', 'x', `${token.slice(0, -4)}AAAA`, 'A'.repeat(200)]) {
      const answer = await browser.send(choice, { token: made, step: 'allow', vault: 'new' });
      assert.equal(answer.status, 400, made);
    }
    for (const vault of [bobs, 'x', '']) {
      assert.equal((await browser.send(choice, { token, step: 'allow', vault })).status, 403, vault);
    }
    server.clock.advance({ minutes: 5 });
    assert.equal((await browser.send(choice, { token, step: 'allow', vault: 'new' })).status, 400);
    assert.deepEqual((await poll(server, link.device_code)).status, 410);
  });
});
