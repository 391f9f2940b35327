import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Authenticator, makePasskey, signInOptions } from '../../../../../test/kit/authenticator.ts';
import { Browser, type Met } from '../../../../../test/kit/clients/oauth.ts';
import { OAuthApp } from '../../../../../test/kit/clients/oauth-app.ts';
import { onSqlite } from '../../../../../test/kit/engines.ts';
import { scratchFolder } from '../../../../../test/kit/scratch.ts';
import { startServer, type TestServer } from '../../../../../test/kit/server.ts';
import { findWebApp } from '../../../../http/web/web-app.ts';

const publicUrl = 'https://notes.example.org';

onSqlite('pages without scripts', (open) => {
  const folder = scratchFolder('web');
  writeFileSync(join(folder, 'index.html'), '<!DOCTYPE html>');
  after(() => rmSync(folder, { recursive: true }));
  const start = async () => {
    const webApp = await findWebApp(folder);
    assert.ok(webApp);
    const server = await startServer({ open, config: { publicUrl }, webApp });
    const device = new Authenticator(publicUrl);
    await makePasskey(server.alice, device);
    return { server, device };
  };
  /** Follows the link for passkeys. Returns the page that the web app is asked to come back to. */
  function leave({ text }: Met): string {
    const [, page = ''] = /href="https:\/\/notes\.example\.org\/#passkey=([^"]*)"/.exec(text) ?? [];
    return decodeURIComponent(page);
  }
  /** Uses a passkey in the web app of a browser, for a page. */
  const use = async (browser: Browser, { anyone }: TestServer, device: Authenticator, page: string) =>
    browser.open(`${publicUrl}/api/auth/passkeys/login/page`, {
      method: 'POST',
      body: JSON.stringify({ ...device.get(await signInOptions(anyone)), page }),
      headers: { 'content-type': 'application/json' },
    });

  test('a consent page signs in with a passkey through the web app, once, and only for itself', async () => {
    const { server, device } = await start();
    await using _ = server;
    const vault = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
    const app = await OAuthApp.register(server);
    const { url } = await app.ask();
    const browser = new Browser(server);
    const asked = await browser.open(url);
    const page = leave(asked);
    await use(browser, server, device, '/oauth/interaction/another');
    const cookie = browser.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    const foreign = await browser.open(publicUrl + page, { headers: { cookie } });
    assert.deepEqual([foreign.status, /type="password"/.test(foreign.text)], [200, true]);
    const stranger = new Browser(server);
    assert.equal((await use(stranger, server, device, page)).status, 204);
    assert.equal((await stranger.open(publicUrl + page)).status, 400, 'another browser has not begun this request');
    await use(browser, server, device, page);
    const choice = await browser.open(publicUrl + page);
    assert.ok(choice.text.includes(`vault:${vault}`));
    await browser.submit(choice, 'sign-out');
    assert.match((await browser.open(publicUrl + page)).text, /type="password"/);
  });

  test('the page of a device link signs in with a passkey through the web app, for the code that was typed', async () => {
    const { server, device } = await start();
    await using _ = server;
    const link = (await server.anyone.post('/auth/device', { device_name: 'Pad' })).body;
    const browser = new Browser(server);
    const asked = await browser.open(link.verification_uri);
    assert.equal(leave(asked), '', 'no code was typed');
    const page = leave(await browser.open(`${asked.url}?code=${link.user_code}`));
    assert.equal(page, `/link?code=${link.user_code}`);
    await use(browser, server, device, page);
    const isAsked = ({ status, text }: Met) =>
      status === 200 && /type="password"/.test(text) && !/role="alert"/.test(text);
    assert.ok(isAsked(await browser.open(`${publicUrl}/link?code=AAAA-AAAA`)), 'it is for one code');
    const choice = await browser.open(publicUrl + page);
    assert.match((await browser.submit(choice, 'allow', { vault: 'new' })).text, /<h1>Linked<\/h1>/);
    assert.equal((await server.anyone.post('/auth/device/token', { device_code: link.device_code })).status, 200);
    assert.ok(isAsked(await browser.open(publicUrl + page)), 'it works once');
    const gone = '/link?code=BBBB-BBBB';
    await use(browser, server, device, gone);
    const missing = await browser.open(publicUrl + gone);
    assert.deepEqual([missing.status, /role="alert"/.test(missing.text)], [404, true]);
  });

  test('a passkey signs in for these pages alone, and a wrong one for none', async () => {
    const { server, device } = await start();
    await using _ = server;
    const browser = new Browser(server);
    for (const page of ['//evil.example.org', '/settings', 'https://evil.example.org/link?code=x']) {
      assert.equal((await use(browser, server, device, page)).status, 422, page);
    }
    const stranger = new Authenticator(publicUrl);
    stranger.create({ challenge: '', rp: { id: 'notes.example.org' }, user: { id: 'x' } } as never);
    assert.equal((await use(browser, server, stranger, '/link?code=x')).status, 401);
    assert.deepEqual(browser.cookies, []);
  });

  test('a server without passkeys or without its web app shows no link for them', async () => {
    await using server = await startServer({ open, config: { publicUrl } });
    const page = await new Browser(server).open(`${publicUrl}/link?code=AAAA-AAAA`);
    assert.equal(leave(page), '');
  });
});
