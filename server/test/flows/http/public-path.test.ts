import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { findWebApp } from '../../../src/http/web/web-app.ts';
import { signInBy, startProvider, type TestProvider } from '../../kit/clients/identity-provider.ts';
import { Assistant } from '../../kit/clients/mcp.ts';
import { Browser, outside } from '../../kit/clients/oauth.ts';
import { OAuthApp } from '../../kit/clients/oauth-app.ts';
import { RawSocket } from '../../kit/clients/raw-socket.ts';
import { onSqlite } from '../../kit/engines.ts';
import { Mailbox } from '../../kit/mailbox.ts';
import { Caller } from '../../kit/person.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { oneServer } from '../../kit/server.ts';

const HOST = 'https://example.org';
const PAGE =
  '<!doctype html><link rel="icon" href="/icon.svg"><script type="module" src="/assets/a.js"></script><a href="//x">';

const pathsOf = ({ cookies }: Browser) => Object.fromEntries(cookies.map(({ name, path }) => [name, path]));

/** Runs the same flow at the root of a host and below a path, with a proxy that passes paths on unchanged. */
for (const path of ['', '/my/notes']) {
  onSqlite(`a public URL ${path === '' ? 'without a path' : `with the path ${path}`}`, (open) => {
    const publicUrl = HOST + path;
    const folder = suiteFolder();
    before(() => writeFile(folder.at('index.html'), PAGE));
    let provider: TestProvider;
    after(() => provider?.[Symbol.asyncDispose]());
    const mailer = new Mailbox();
    const serve = oneServer(async () => {
      const webApp = await findWebApp(folder.path);
      provider = await startProvider(`${publicUrl}/api/auth/oidc/callback`);
      const config = { publicUrl, ...provider.config, oidcRegister: 'on' } as const;
      return { open, mailer, config, ...(webApp === null ? {} : { webApp }) };
    });
    const below = async () => {
      const server = await serve();
      const { accessToken } = await server.alice.signed();
      const headers = { authorization: `Bearer ${accessToken}` };
      return { server, accessToken, alice: new Caller(server.url + path, async () => headers) };
    };

    test('serves notes, whose paths may look like the path of the URL, and uploads', async () => {
      const { alice } = await below();
      await alice.post('/vaults', { name: 'Home' });
      assert.equal((await alice.post('/notes', { path: 'my/notes/ä.md', content: 'text', mtime: 1 })).status, 200);
      assert.equal((await alice.get('/notes/my/notes/%C3%A4.md')).body.content, 'text');
      const upload = { 'upload-length': '3', 'upload-metadata': `path ${btoa('a.txt')}`, 'tus-resumable': '1.0.0' };
      const made = await alice.post('/uploads', undefined, upload);
      assert.deepEqual([made.status, made.headers.get('location')?.startsWith(`${path}/api/uploads/`)], [201, true]);
    });

    test('keeps a session in a cookie that other applications of the host do not get', async () => {
      const { server } = await below();
      const { email, password } = server.alice;
      const anyone = new Caller(server.url + path);
      const origin = { origin: HOST };
      const entered = await anyone.post('/auth/login', { email, password }, origin);
      assert.match(entered.headers.getSetCookie().join(), new RegExp(`; Path=${path}/api/auth; `));
      const cookie = `refresh_token=${entered.cookie('refresh_token')}`;
      assert.equal((await anyone.post('/auth/refresh', undefined, { ...origin, cookie })).status, 200);
      const left = await anyone.post('/auth/logout?clear=true', undefined, { ...origin, cookie });
      assert.equal(left.headers.get('clear-site-data'), path === '' ? '"storage"' : null);
    });

    test('is found and used by applications through OAuth, and by assistants with their token', async () => {
      const { server, alice } = await below();
      const refused = await new Caller(server.url + path).post('/mcp', {});
      const resource = `${HOST}/.well-known/oauth-protected-resource${path}/api/mcp`;
      assert.ok(refused.headers.get('www-authenticate')?.includes(`resource_metadata="${resource}"`));
      const read = async (url: string) => (await outside(server)(url)).json() as Promise<Record<string, unknown>>;
      const document = await read(resource);
      assert.deepEqual([document.resource, document.authorization_servers], [`${publicUrl}/api/mcp`, [publicUrl]]);
      await alice.post('/vaults', { name: 'Home' });
      const app = await OAuthApp.register(server);
      const { access_token, refresh_token } = await app.connect();
      assert.equal(typeof (await app.refresh(refresh_token)).access_token, 'string');
      await using assistant = await Assistant.connect({ url: server.url + path }, access_token);
      assert.equal((await assistant.call('list_vaults')).isError, false);
      assert.equal((await read(`${publicUrl}/.well-known/oauth-authorization-server`)).issuer, publicUrl);
    });

    test('opens sockets, and shows downloads and the page of a device link', async () => {
      const { server, alice } = await below();
      using socket = await RawSocket.open(server.url + path);
      assert.equal(socket.closed, null);
      const list = await outside(server)(`${publicUrl}/download/`, { headers: { accept: 'application/json' } });
      assert.equal(list.status, 200);
      await alice.post('/vaults', { name: 'Home' });
      const link = (await new Caller(server.url + path).post('/auth/device', {})).body;
      assert.equal(link.verification_uri, `${publicUrl}/link`);
      const browser = new Browser(server);
      const { email, password } = server.alice;
      const page = await browser.open(link.verification_uri_complete);
      const [, action = ''] = /action="([^"]+)"/.exec(page.text) ?? [];
      assert.equal(new URL(action, page.url).href, `${publicUrl}/link`);
      const choice = await browser.submit(page, 'sign-in', { email, password });
      assert.match((await browser.submit(choice, 'allow')).text, /<h1>Linked<\/h1>/);
    });

    test('signs in by OpenID Connect, with cookies of its own, and comes back below it', async () => {
      const { server } = await below();
      provider.signsIn('carol', { email: 'carol@example.org', email_verified: true });
      const browser = new Browser(server);
      const away = await browser.open(`${publicUrl}/api/auth/oidc/start?return_to=${path}/settings?a=1`);
      assert.equal(new URL(away.url).searchParams.get('redirect_uri'), `${publicUrl}/api/auth/oidc/callback`);
      assert.deepEqual(pathsOf(browser), { oidc_state: `${path}/api/auth/oidc` });
      const back = await browser.open(await provider.visit(away.url));
      assert.deepEqual([back.status, back.url], [200, `${publicUrl}/settings?a=1`]);
      assert.deepEqual(pathsOf(browser), { refresh_token: `${path}/api/auth` });
      const refreshed = await browser.open(`${publicUrl}/api/auth/refresh`, {
        method: 'POST',
        headers: { origin: HOST },
      });
      assert.equal(refreshed.status, 200);
      for (const elsewhere of ['/', '/other', `${path}x/`]) {
        if (path === '' && elsewhere !== '/') continue;
        assert.equal((await signInBy(provider, new Browser(server), publicUrl, elsewhere)).url, `${publicUrl}/`);
      }
    });

    test('signs in by OpenID Connect on the pages that connect devices and applications', async () => {
      const { server } = await below();
      provider.signsIn('carol', { email: 'carol@example.org', email_verified: true });
      const { verification_uri_complete } = (await server.anyone.post('/auth/device', {})).body;
      const { url } = await (await OAuthApp.register(server)).ask();
      for (const page of [verification_uri_complete, url]) {
        const browser = new Browser(server);
        const asked = await browser.open(page);
        const [, href = ''] = /href="([^"]*oidc\/start[^"]*)"/.exec(asked.text) ?? [];
        const away = await browser.open(href.replaceAll('&amp;', '&'));
        const back = await browser.open(await provider.visit(away.url));
        assert.equal(back.url, asked.url);
        assert.match(back.text, /Signed in as carol@example\.org/);
        assert.equal(pathsOf(browser).login_token, new URL(asked.url).pathname);
      }
    });

    test('sends mails whose links open its own pages, with tokens that are good below it', async () => {
      const { server } = await below();
      const { alice, app } = server;
      const anyone = new Caller(server.url + path);
      const mailed = async (page: string) => {
        await app.mails.sendDue();
        const mail = mailer.sent.findLast(({ to }) => to === alice.email);
        const links = [...`${mail?.text} ${mail?.html}`.matchAll(/https?:[^\s"<]+/g)].map(([link]) => link);
        assert.ok(links.includes(`${publicUrl}/#${page}=${mailer.tokenFor(alice.email)}`), links.join(' '));
        for (const link of links) assert.ok(link === publicUrl || link.startsWith(`${publicUrl}/`), link);
        return mailer.tokenFor(alice.email);
      };
      const token = await mailed('confirm');
      assert.equal((await anyone.post('/auth/email/confirm', { token })).status, 200);
      assert.equal((await anyone.post('/auth/password/forgot', { email: alice.email })).status, 202);
      const reset = { token: await mailed('reset'), password: 'another long password' };
      assert.equal((await anyone.post('/auth/password/reset', reset)).status, 200);
    });

    test('serves pages that load their files below it', async () => {
      const { server } = await below();
      const html = { headers: { accept: 'text/html' }, redirect: 'manual' } as const;
      for (const page of ['/', '/vaults/a/notes/b?panel=links']) {
        const answer = await fetch(server.url + path + page, html);
        assert.equal(await answer.text(), PAGE.replaceAll('="/', `="${path}/`).replace(`"${path}//x`, '"//x'));
      }
    });

    test('leaves requests that are sent directly to the server as they are, except for pages', async () => {
      const { server } = await below();
      for (const direct of ['/readyz', '/healthz', '/api/health', '/.well-known/oauth-protected-resource']) {
        assert.equal((await fetch(server.url + direct)).status, 200, direct);
      }
      if (path === '') return;
      const moved = async (from: string) =>
        (await fetch(server.url + from, { headers: { accept: 'text/html' }, redirect: 'manual' })).headers.get(
          'location',
        );
      assert.equal(await moved('/vaults/a?b=c'), `${path}/vaults/a?b=c`);
      assert.equal(await moved(path), `${path}/`);
      assert.equal((await fetch(`${server.url}${path}x/api/health`)).status, 404);
      assert.equal((await fetch(`${server.url}${path}${path}/api/health`)).status, 404);
    });
  });
}
