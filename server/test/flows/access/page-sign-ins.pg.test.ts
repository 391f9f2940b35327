/** Decisions on the pages for applications and devices, by a person who signed in before a right was taken away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, fieldsOf, type Met, signedIn } from '../../kit/clients/oauth.ts';
import { OAuthApp } from '../../kit/clients/oauth-app.ts';
import { onEachEngine } from '../../kit/engines.ts';
import type { Person } from '../../kit/person.ts';
import { oneServer, type TestServer } from '../../kit/server.ts';

const NEW_PASSWORD = 'another long password';

interface Removal {
  readonly take: (server: TestServer, person: Person) => Promise<{ readonly status: number }>;
  /** Whether the person can sign in afterwards, and with which password. */
  readonly password: ((person: Person) => string) | null;
}

const suspend = async ({ alice }: TestServer, person: Person) =>
  alice.patch(`/admin/users/${(await person.signed()).id}`, { suspended: true });

const removals: Readonly<Record<string, Removal>> = {
  'the password was changed': {
    take: (_, person) =>
      person.post('/auth/password/change', { old_password: person.password, new_password: NEW_PASSWORD }),
    password: () => NEW_PASSWORD,
  },
  'all other sessions were ended': {
    take: (_, person) => person.delete('/me/sessions'),
    password: ({ password }) => password,
  },
  'the account was suspended': { take: suspend, password: null },
  'the account was deleted': {
    take: (_, person) => person.delete('/me', { password: person.password }),
    password: null,
  },
};

onEachEngine('a decision on a page', (open) => {
  let first: Promise<TestServer> | undefined;
  const started = oneServer(() => ({ open }));
  // The first alice is the admin.
  const start = () => {
    first ??= started();
    return first;
  };
  let people = 0;
  async function makePerson(server: TestServer): Promise<Person> {
    await server.alice.signed();
    people += 1;
    const person = server.person(`paged-${people}`);
    await person.post('/vaults', { name: 'Home' });
    return person;
  }
  async function linkOf({ anyone, publicUrl }: TestServer) {
    const { device_code, user_code } = (await anyone.post('/auth/device', { device_name: 'Pad' })).body;
    return { device: device_code as string, code: user_code as string, url: `${publicUrl}/link?code=${user_code}` };
  }
  const poll = ({ anyone }: TestServer, device_code: string) => anyone.post('/auth/device/token', { device_code });
  const again = /role="alert">The password or the access of this account was changed since you signed in\./;

  function checkSignInPage(page: Met): void {
    assert.equal(page.status, 401);
    assert.match(page.text, again);
    assert.match(page.text, /type="password"/);
    assert.doesNotMatch(page.text, /Home/);
  }

  for (const [name, { take, password }] of Object.entries(removals)) {
    test(`on an application asks to sign in again when ${name}`, async () => {
      const server = await start();
      const person = await makePerson(server);
      const app = await OAuthApp.register(server);
      const request = await app.ask();
      const browser = new Browser(server);
      const page = await signedIn(browser, request.url, person);
      assert.match(page.text, /Home/);
      assert.ok((await take(server, person)).status < 300);
      const shown = await browser.open(page.url);
      assert.match(shown.text, again);
      assert.doesNotMatch(shown.text, /Home/);
      const refused = await browser.submit(page, 'allow');
      checkSignInPage(refused);
      if (password === null) return;
      const caller = server.bearer((await login(server, person, password(person))).access_token);
      assert.deepEqual((await caller.get('/connections')).body, []);
      const signed = await browser.submit(refused, 'sign-in', { email: person.email, password: password(person) });
      const back = await browser.submit(signed, 'allow');
      assert.equal(typeof (await app.exchange(request, new URL(back.url))).access_token, 'string');
    });

    test(`on a device asks to sign in again when ${name}`, async () => {
      const server = await start();
      const person = await makePerson(server);
      const { device, code, url } = await linkOf(server);
      const browser = new Browser(server);
      const page = await signedIn(browser, url, person);
      assert.match(page.text, /Home/);
      assert.ok((await take(server, person)).status < 300);
      const refused = await browser.submit(page, 'allow');
      checkSignInPage(refused);
      assert.equal(fieldsOf(refused.text).code, code);
      checkSignInPage(await browser.submit(page, 'allow', { vault: 'new' }));
      assert.ok((await poll(server, device)).status >= 400);
      if (password === null) return;
      const signed = await browser.submit(refused, 'sign-in', { email: person.email, password: password(person) });
      assert.match((await browser.submit(signed, 'allow')).text, /<h1>Linked<\/h1>/);
      server.clock.advance({ seconds: 10 });
      assert.equal((await poll(server, device)).status, 200);
    });

    test(`on a device is void when ${name} before the device fetched it`, async () => {
      const server = await start();
      const person = await makePerson(server);
      const { device, url } = await linkOf(server);
      const browser = new Browser(server);
      const page = await signedIn(browser, url, person);
      assert.match((await browser.submit(page, 'allow')).text, /<h1>Linked<\/h1>/);
      assert.ok((await take(server, person)).status < 300);
      assert.equal((await poll(server, device)).status, 410);
    });
  }

  test('is refused in its transaction when the password is changed just before it', async (t) => {
    const server = await start();
    const { vaults } = server.app;
    const change = (person: Person) => async (confirmed: () => Promise<void>) => {
      await confirmed();
      t.mock.restoreAll();
      assert.equal((await removals['the password was changed']?.take(server, person))?.status, 200);
    };
    const changeAfterCheck = (person: Person) => {
      const { confirmRights } = vaults;
      t.mock.method(vaults, 'confirmRights', (...args: Parameters<typeof confirmRights>) =>
        change(person)(() => confirmRights(...args)),
      );
    };
    const [person, another] = [await makePerson(server), await makePerson(server)];
    const app = await OAuthApp.register(server);
    const browser = new Browser(server);
    const consent = await signedIn(browser, (await app.ask()).url, person);
    changeAfterCheck(person);
    checkSignInPage(await browser.submit(consent, 'allow'));
    const caller = server.bearer((await login(server, person, NEW_PASSWORD)).access_token);
    assert.deepEqual((await caller.get('/connections')).body, []);

    const { device, url } = await linkOf(server);
    const choice = await signedIn(new Browser(server), url, another);
    changeAfterCheck(another);
    checkSignInPage(await new Browser(server).submit(choice, 'allow'));
    assert.deepEqual((await poll(server, device)).body, { error: 'authorization_pending' });
  });

  async function login({ anyone }: TestServer, { email }: Person, password: string) {
    return (await anyone.post('/auth/login', { email, password })).body as { readonly access_token: string };
  }
});
