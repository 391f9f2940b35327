import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, describe, it, test } from 'node:test';
import { flagOf, listOptions } from '../../../src/config/options.ts';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { startProvider } from '../../kit/clients/identity-provider.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { Caller } from '../../kit/person.ts';
import { freePort } from '../../kit/programs/free-port.ts';
import { startMailServer } from '../../kit/programs/mail-server.ts';
import { assertFails, cli, type Environment, Folder, startServe } from '../../kit/programs/process.ts';

const ALL = listOptions().map(({ name }) => flagOf(name));
const STORAGE = ['--data-dir', '--database-url', '--master-key'];
/** Every command, with the words that its help must contain. */
const COMMANDS: [string, string[]][] = [
  ['', ['serve', 'login', 'logout', 'sync', 'import', 'search', 'reindex', 'admin', 'keys', 'doctor', '--version']],
  ['serve', ['--port', '--data-dir', '--database-url', '--backup-dir', 'invite_only, closed', '--help [which]']],
  ['serve --help=all', ALL],
  ['login', ['<url>', '--vault', '--device', '--allow-http', '--no-keychain']],
  ['logout', ['<url>', '--vault']],
  [
    'sync',
    ['<folder>', '--once', '--watch', '--pull', '--push', '--dry-run', '--json', '--yes', '--settings', '--url'],
  ],
  ['sync approve', ['<folder>', '--yes', '--json']],
  ['import', [...STORAGE, '<folder>', '--vault', '--user', '--url', '--token']],
  ['mcp', [...STORAGE, '--user', '--url', '--token', '--mcp-writes-per-minute']],
  ['search', [...STORAGE, '<query...>', '--vault', '--user', '--mode', '--limit', '--json']],
  ['reindex', [...STORAGE, '[vault]', '--user']],
  ['admin', ['create-user', 'invite', 'set-plan', 'reset-password']],
  ['admin create-user', [...STORAGE, '<email>', '--admin', '--password-stdin', '--default-plan']],
  ['admin invite', [...STORAGE, '[email]']],
  ['admin set-plan', [...STORAGE, '<email>', '<plan>', '--plans']],
  ['admin reset-password', [...STORAGE, '<email>']],
  ['keys', ['new', 'status', 'rotate']],
  ['keys new', []],
  ['keys status', STORAGE],
  ['keys rotate', [...STORAGE, '--new-key-stdin']],
  ['doctor', [...STORAGE, '--restored', '--help [which]']],
  ['restore', [...STORAGE, '--list-points', '--point', '--help [which]']],
];

const folder = new Folder();
let folders = 0;
const dataDir = () => folder.at(`data-${folders++}`);
after(() => folder[Symbol.dispose]());

describe('notevault --help', { concurrency: 2 }, () => {
  for (const [command, names] of COMMANDS) {
    it(`explains notevault ${command}`, async () => {
      const asked = command.includes('--help') ? command : `${command} --help`;
      const { code, stdout, stderr } = await cli(asked.trim().split(' '));
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^Usage: notevault/);
      for (const name of names) assert.ok(stdout.includes(name), `${name} is missing in:\n${stdout}`);
    });
  }
});

for (const [command, listed] of Object.entries({ serve: 10, restore: 3, doctor: 3, status: 5 })) {
  test(`notevault ${command} --help lists ${listed} options of the server, the others only with --help=all`, async () => {
    const { stdout } = await cli([command, '--help']);
    assert.equal(ALL.filter((name) => stdout.includes(`  ${name} <`)).length, listed);
  });
}

describe('a mistyped command line', { concurrency: 2 }, () => {
  const HINT = /\(add --help to see the command’s arguments\)/;
  const cases: [string, RegExp][] = [
    ['frobnicate', /unknown command 'frobnicate'/],
    ['serv', /Did you mean serve\?/],
    ['serve --prot 1', /unknown option '--prot'\n\(Did you mean --port\?\)/],
    ['keys frobnicate', /unknown command 'frobnicate'/],
    ['keys rotate --frobnicate', /unknown option '--frobnicate'/],
    ['admin create-user', /missing required argument 'email'/],
    ['import', /missing required argument 'folder'/],
  ];
  for (const [typed, says] of cases) {
    it(`gets a hint: notevault ${typed}`, async () => {
      const ended = await cli(typed.split(' '));
      assertFails(ended, says);
      assert.match(ended.stderr, HINT);
    });
  }

  const values: [string[], RegExp][] = [
    [['serve', '--port', '99999'], /--port is "99999": it must be a whole number from 0 to 65535\./],
    [['serve', '--host', 'http://x'], /--host is .*: it must be an IP address or a host name/],
    [['import', '.', '--url', 'nonsense', '--token', 'x'], /--url "nonsense" is invalid: it must be an address/],
    [['import', '.', '--url', 'http://127.0.0.1:1'], /--url and --token must be used together/],
    [['import', '.', '--url', 'http://127.0.0.1:1', '--token', 'x'], /the server cannot be reached/],
    [['import', '/nowhere/at/all'], /\/nowhere\/at\/all does not exist/],
  ];
  for (const [args, says] of values) {
    it(`gets an explanation: notevault ${args.join(' ')}`, async () => assertFails(await cli(args), says));
  }
});

describe('the admin commands', { concurrency: 2 }, () => {
  /** The token in a printed link to a page of the web app. */
  const tokenIn = (printed: string, page: string) => {
    const [, token = ''] = new RegExp(`^http://127\\.0\\.0\\.1:\\d+/#${page}=([\\w-]+)\n$`).exec(printed) ?? [];
    assert.notEqual(token, '', printed);
    return token;
  };
  const create = (email: string, env: Environment, input: string) =>
    cli(['admin', 'create-user', email, '--password-stdin'], { env, input });

  for (const running of [false, true]) {
    it(`work with the server ${running ? 'running' : 'stopped'}`, async () => {
      const env = { NOTEVAULT_DATA_DIR: dataDir() };
      const serving = { env: { ...env, NOTEVAULT_REGISTRATION: 'invite_only' } };
      await using server = running ? await startServe(serving) : null;
      const made = await create(' Alice@Example.org', env, 'long enough\n');
      assert.deepEqual([made.code, made.stdout], [0, 'Created the account alice@example.org (admin).\n'], made.stderr);
      assertFails(await create('alice@example.org', env, 'long enough'), /cannot be registered/);
      const invite = await cli(['admin', 'invite', 'bob@example.org'], { env });
      assert.equal(invite.code, 0, invite.stderr);
      assert.equal((await cli(['admin', 'set-plan', 'alice@example.org', 'free'], { env })).code, 0);
      const reset = await cli(['admin', 'reset-password', 'alice@example.org'], { env });
      assert.equal(reset.code, 0, reset.stderr);

      await using started = server === null ? await startServe(serving) : null;
      const anyone = new Caller((server ?? started)?.url ?? '');
      const bob = { email: 'bob@example.org', password: 'long enough', invite: tokenIn(invite.stdout, 'invite') };
      assert.equal((await anyone.post('/auth/register', bob)).status, 201);
      const changed = { token: tokenIn(reset.stdout, 'reset'), password: 'another one' };
      assert.equal((await anyone.post('/auth/password/reset', changed)).status, 200);
      const login = await anyone.post('/auth/login', { email: 'alice@example.org', password: 'another one' });
      assert.equal(login.body.user.role, 'admin');
      await using raw = await openRaw({ file: databaseFile(env.NOTEVAULT_DATA_DIR) });
      const [alice] = await raw.all("select plan from users where email = 'alice@example.org'");
      assert.equal(alice?.plan, 'free');
    });
  }

  it('the first account is made by the printed link or by create-user, which voids the link', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir(), NOTEVAULT_PUBLIC_URL: 'https://notes.example.org' };
    const server = await startServe({ env });
    const shown = await cli(['admin', 'setup-token'], { env });
    assert.equal((await create('alice@example.org', env, 'long enough')).code, 0);
    assertFails(await cli(['admin', 'setup-token'], { env }), /An account exists already/);
    const { stderr } = await server.stop();
    const [link] = /https:\/\/notes\.example\.org\/#setup=nv_setup_[\w-]{43}\n/.exec(stderr) ?? [];
    assert.equal(shown.stdout, link);
  });

  it('confirm addresses and send a test mail, and doctor signs in to the mail server', async () => {
    await using mail = await startMailServer();
    const NOTEVAULT_MAIL_FROM = 'notes@example.org';
    const smtp = (port: number) => ({ NOTEVAULT_SMTP_URL: `smtp://127.0.0.1:${port}`, NOTEVAULT_MAIL_FROM });
    const env = { NOTEVAULT_DATA_DIR: dataDir(), ...smtp(mail.port) };
    await create('alice@example.org', env, 'long enough');
    assert.equal(
      (await cli(['admin', 'confirm-email', 'alice@example.org'], { env })).stdout,
      '1 address confirmed.\n',
    );
    assert.equal((await cli(['admin', 'confirm-email', '--all'], { env })).stdout, '0 addresses confirmed.\n');
    assertFails(await cli(['admin', 'confirm-email'], { env }), /--all/);
    const sent = await cli(['admin', 'test-mail', 'bob@example.org'], { env });
    assert.deepEqual([sent.code, mail.mails.length], [0, 1], sent.stderr);
    assert.match((await cli(['doctor'], { env })).stdout, /ok {4}mail: the mail server takes/);
    const absent = { ...env, ...smtp(await freePort()) };
    assertFails(await cli(['admin', 'test-mail', 'bob@example.org'], { env: absent }), /does not answer/);
    assert.match((await cli(['doctor'], { env: absent })).stdout, /FAULT mail: the mail server does not answer/);
  });

  it('doctor says whether the OpenID Connect provider answers', async () => {
    await using provider = await startProvider('https://notes.example.org/api/auth/oidc/callback');
    const NOTEVAULT_OIDC_CLIENT_ID = 'notevault';
    const env = { NOTEVAULT_DATA_DIR: dataDir(), NOTEVAULT_OIDC_CLIENT_ID, NOTEVAULT_OIDC_ISSUER: provider.issuer };
    await create('alice@example.org', env, 'long enough');
    assert.match((await cli(['doctor'], { env })).stdout, /ok {4}sign-in provider: http:\S+ answers/);
    const absent = { ...env, NOTEVAULT_OIDC_ISSUER: `http://127.0.0.1:${await freePort()}` };
    assert.match((await cli(['doctor'], { env: absent })).stdout, /FAULT sign-in provider: \S+ does not answer/);
  });

  it('removes the second factor of an account', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir() };
    await create('alice@example.org', env, 'long enough');
    const reset = (email: string) => cli(['admin', 'reset-second-factor', email], { env });
    assert.equal(
      (await reset('alice@example.org')).stdout,
      'alice@example.org now signs in with the password alone.\n',
    );
    assertFails(await reset('bob@example.org'), /no account/i);
  });

  it('signs in an account once by a link, on a server without passwords', async () => {
    const NOTEVAULT_PUBLIC_URL = 'https://example.org/notes';
    const env = { NOTEVAULT_DATA_DIR: dataDir(), NOTEVAULT_PASSWORD_LOGIN: 'off', NOTEVAULT_PUBLIC_URL };
    await create('alice@example.org', env, 'long enough');
    await using server = await startServe({ env });
    const linkFor = (email: string) => cli(['admin', 'login-link', email], { env });
    const { stdout } = await linkFor('alice@example.org');
    const [, token] = /^https:\/\/example\.org\/notes\/\?login=(nv_lgn_[\w-]{43})$/m.exec(stdout) ?? [];
    const anyone = new Caller(server.url);
    const login = { email: 'alice@example.org', password: 'long enough' };
    assert.equal((await anyone.post('/auth/login', login)).body.error, 'password_login_off');
    const entered = await anyone.post('/auth/login-link', { token });
    assert.deepEqual([entered.status, entered.body.user?.role], [200, 'admin']);
    assert.equal((await anyone.post('/auth/login-link', { token })).status, 422);
    assertFails(await linkFor('bob@example.org'), /no account/i);
  });

  it('explain which argument is wrong', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir() };
    assertFails(await create('bob@example.org', env, 'short'), /at least 8 characters/);
    assertFails(await cli(['admin', 'create-user', 'bob@example.org'], { env }), /--password-stdin/);
    assertFails(await cli(['admin', 'set-plan', 'bob@example.org', 'gold'], { env }), /plan must be one of .*free/);
    assertFails(await cli(['admin', 'set-plan', 'bob@example.org', 'free'], { env }), /No account has this e-mail/);
    assert.equal((await create('alice@example.org', env, 'long enough')).code, 0);
    const suspended = await cli(['admin', 'suspend', 'alice@example.org'], { env });
    assertFails(suspended, /only admin who can sign in/);
    assert.doesNotMatch(suspended.stderr, /deleted/);
  });
});

describe('notevault serve', () => {
  const skip = process.platform === 'linux' ? false : 'only Linux lets a process be looked at';

  it('names unknown variables in one warning', async () => {
    const env = { NOTEVAULT_DATA_DIR: dataDir(), NOTEVAULT_FROBNICATE: '1', NOTEVAULT_SERVICE_HOST: '10.96.0.7' };
    const server = await startServe({ env });
    const { stderr } = await server.stop();
    assert.deepEqual(stderr.match(/^ +WARNING .*$/gm), [
      '  WARNING  NOTEVAULT_FROBNICATE: unknown option, ignored. docs/config.md lists the options.',
    ]);
  });

  it('restarts itself with settings for low memory use, keeping its process id', {
    skip,
  }, async () => {
    await using server = await startServe({ env: { NOTEVAULT_DATA_DIR: dataDir() }, restarts: true });
    const settings = await readFile(`/proc/${server.child.pid}/environ`, 'utf8');
    assert.match(settings, /\0MALLOC_ARENA_MAX=2\0/);
    assert.match(settings, /\0MALLOC_MMAP_THRESHOLD_=262144\0/);
    assert.match(await readFile(`/proc/${server.child.pid}/cmdline`, 'utf8'), /\0--max-semi-space-size=16\0/);
  });
});
