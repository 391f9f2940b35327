import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { suiteFolder } from '../../test/kit/programs/process.ts';
import {
  ConfigError,
  type Environment,
  type Flags,
  publicUrlOf,
  readConfig,
  variablesWithoutEffect,
} from './config.ts';
import { flagOf, listOptions, variableOf } from './options.ts';

const folder = suiteFolder();

const KEY = Buffer.alloc(32, 7).toString('base64');

function problemsOf(env: Environment, flags: Flags = {}): readonly string[] {
  try {
    readConfig(env, flags);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
  return [];
}

test('readConfig of an empty environment returns the defaults, frozen', () => {
  const config = readConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 4100);
  assert.equal(config.dataDir, resolve('data'));
  assert.equal(config.publicUrl, null);
  assert.equal(config.masterKey, null);
  assert.equal(config.defaultPlan, 'self_hosted');
  assert.equal(config.plans.free?.vaults_cap, 1);
  assert.deepEqual(config.corsOrigins, ['*']);
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.plans) && Object.isFrozen(config.corsOrigins));
});

test('readConfig prefers flags to the environment, and treats an empty text as absent in both', () => {
  assert.equal(readConfig({ NOTEVAULT_PORT: '5000' }, { port: '6000' }).port, 6000);
  assert.equal(readConfig({ NOTEVAULT_PORT: '5000' }, { port: '' }).port, 5000);
  assert.equal(readConfig({ NOTEVAULT_PORT: '', NOTEVAULT_MASTER_KEY: '' }).port, 4100);
});

test('every option has a unique variable and flag, derived from its name', () => {
  assert.equal(variableOf('dataDir'), 'NOTEVAULT_DATA_DIR');
  assert.equal(flagOf('dataDir'), '--data-dir');
  const names = listOptions().map(({ name }) => variableOf(name));
  assert.equal(new Set(names).size, names.length);
});

test('readConfig reads valid values', () => {
  const config = readConfig({
    NOTEVAULT_MASTER_KEY: KEY,
    NOTEVAULT_DATABASE_URL: 'postgres://alice:secret@db:5432/notevault',
    NOTEVAULT_DATABASE_POOL: '20',
    NOTEVAULT_TRUST_PROXY: '10.0.0.7, 192.168.0.0/16,::1,fd00::/8',
    NOTEVAULT_PUBLIC_URL: 'https://Notes.example.org/',
    NOTEVAULT_CORS_ORIGINS: 'https://notes.example.org,app://obsidian.md',
    NOTEVAULT_BLOBS: 'database',
    NOTEVAULT_REGISTRATION: 'open',
    NOTEVAULT_LOG_LEVEL: 'debug',
  });
  assert.deepEqual(config.masterKey?.reveal(), Buffer.alloc(32, 7));
  assert.equal(config.databaseUrl?.reveal(), 'postgres://alice:secret@db:5432/notevault');
  assert.deepEqual(config.trustProxy, ['10.0.0.7', '192.168.0.0/16', '::1', 'fd00::/8']);
  assert.equal(config.publicUrl, 'https://notes.example.org');
  assert.equal(readConfig({ NOTEVAULT_PUBLIC_URL: 'https://x/My/notes/' }).publicUrl, 'https://x/My/notes');
  assert.deepEqual(config.corsOrigins, ['https://notes.example.org', 'app://obsidian.md']);
  assert.equal(config.databasePool, 20);
  assert.deepEqual(config.blobs, { kind: 'database' });
});

const bad: [variable: string, values: string[], says: RegExp][] = [
  ['NOTEVAULT_PORT', ['abc', '-1', '65536', '1.5', '0x10', ' 80'], /must be a whole number from 0 to 65535/],
  ['NOTEVAULT_HOST', ['http://x', 'a:80', 'a/b'], /without scheme and port/],
  [
    'NOTEVAULT_PUBLIC_URL',
    [
      'ftp://x',
      'https://x/?',
      'https://x/a/#b',
      'https://u:p@x',
      'x',
      'https://x/api',
      'https://x/a%20b',
      'https://x//a',
    ],
    /with or without a path/,
  ],
  [
    'NOTEVAULT_TRUST_PROXY',
    ['proxy.example.org', '10.0.0.0/33', '10.0.0.1,', '::/129', '10.0.0.0/', '0.0.0.0/0', 'fe80::1%eth0'],
    /IP addresses/,
  ],
  ['NOTEVAULT_CORS_ORIGINS', ['https://x/path', 'x', '*,https://x', 'https://*.x'], /origins/],
  ['NOTEVAULT_DATABASE_URL', ['mysql://x/y', 'notevault.db', 'sqlite:x'], /PostgreSQL address/],
  [
    'NOTEVAULT_BLOBS',
    ['/srv/blobs', 'Disk', 's3:bucket', 's3://', 's3://A/', 's3://notes/../x', 's3://notes//x'],
    /s3:\/\/notes/,
  ],
  ['NOTEVAULT_S3_ENDPOINT', ['s3.example.org', 'ftp://x', 'https://u:p@x', 'https://x/?'], /an http or https address/],
  ['NOTEVAULT_MASTER_KEY', ['short', KEY.slice(4), `${KEY}AAAA`, 'ß'.repeat(43)], /32 bytes in base64/],
  ['NOTEVAULT_REGISTRATION', ['yes', 'OPEN'], /one of open, invite_only, closed/],
  ['NOTEVAULT_AUTH_RATE_LIMIT', ['-1', 'off'], /whole number from 0/],
  ['NOTEVAULT_LOG_LEVEL', ['loud'], /one of trace/],
];

for (const [variable, values, says] of bad) {
  test(`readConfig refuses a bad ${variable} and says what it must be`, () => {
    for (const value of values) {
      const problems = problemsOf({ [variable]: value });
      assert.equal(problems.length, 1, value);
      assert.match(problems[0] ?? '', new RegExp(`^${variable} `));
      assert.match(problems[0] ?? '', says);
    }
  });
}

test('readConfig reports all problems at once, and those of a flag under the flag’s name', () => {
  const problems = problemsOf({ NOTEVAULT_HOST: 'a b' }, { port: 'x', dataDir: 'a\0b' });
  assert.equal(problems.length, 3);
  assert.ok(problems.some((problem) => problem.startsWith('--port is "x"')));
  assert.match(new ConfigError(problems).message, /--port.*\n.*--data-dir/);
});

test('secrets appear in no message and no print-out of the configuration', () => {
  const url = 'mysql://alice:hunter2@db/x';
  assert.doesNotMatch(problemsOf({ NOTEVAULT_DATABASE_URL: url, NOTEVAULT_MASTER_KEY: 'hunter2' }).join(), /hunter2/);
  const config = readConfig({ NOTEVAULT_MASTER_KEY: KEY, NOTEVAULT_DATABASE_URL: 'postgres://a:hunter2@db/x' });
  const shown = `${JSON.stringify(config)} ${inspect(config, { depth: 9, showHidden: true })} ${config.masterKey}`;
  assert.doesNotMatch(shown, /hunter2/);
  assert.doesNotMatch(shown, new RegExp(`${KEY.slice(0, 40)}|07 07 07`));
});

test('readConfig reports a misspelt variable, but not an unrelated one', () => {
  assert.deepEqual(problemsOf({ NOTEVAULT_DATADIR: '/x' }), [
    'NOTEVAULT_DATADIR is not an option; did you mean NOTEVAULT_DATA_DIR?',
  ]);
  assert.deepEqual(problemsOf({ NOTEVAULT_FROBNICATE: 'x', OTHER_PORT: 'x' }), []);
});

test('readConfig ignores the variables that Kubernetes sets for services', () => {
  const services = {
    NOTEVAULT_SERVICE_HOST: '10.96.0.7',
    NOTEVAULT_SERVICE_PORT: '4100',
    NOTEVAULT_SERVICE_PORT_HTTP: '4100',
    NOTEVAULT_PORT: 'tcp://10.96.0.7:4100',
    NOTEVAULT_PORT_4100_TCP: 'tcp://10.96.0.7:4100',
    NOTEVAULT_PORT_4100_TCP_ADDR: '10.96.0.7',
    NOTEVAULT_PORT_4100_TCP_PORT: '4100',
    NOTEVAULT_PORT_4100_TCP_PROTO: 'tcp',
    NOTEVAULT_POSTGRES_PORT: 'tcp://10.96.0.8:5432',
    NOTEVAULT_POSTGRES_SERVICE_HOST: '10.96.0.8',
  };
  assert.equal(readConfig(services).port, 4100);
  assert.equal(readConfig({ ...services, NOTEVAULT_PORT: '80' }).port, 80);
  assert.deepEqual(variablesWithoutEffect(services), []);
});

test('variablesWithoutEffect names unknown variables, not options, misspelt ones and those of clients', () => {
  const env = {
    ...{ NOTEVAULT_PORT: '80', NOTEVAULT_DATADIR: 'x', NOTEVAULT_TOKEN: 'x', NOTEVAULT_URL: 'x', PATH: 'x' },
    ...{ NOTEVAULT_UPSTREAM_HOSTS: 'x', NOTEVAULT_FROBNICATE: 'x' },
  };
  assert.deepEqual(variablesWithoutEffect(env), ['NOTEVAULT_FROBNICATE', 'NOTEVAULT_UPSTREAM_HOSTS']);
});

test('a blob bucket may have a prefix, which then ends in a slash', () => {
  const blobsOf = (text: string) => readConfig({ NOTEVAULT_BLOBS: text }).blobs;
  assert.deepEqual(blobsOf('s3://notes'), { kind: 's3', bucket: 'notes', prefix: '' });
  assert.deepEqual(blobsOf('s3://notes/'), { kind: 's3', bucket: 'notes', prefix: '' });
  assert.deepEqual(blobsOf('s3://notes/a/b'), { kind: 's3', bucket: 'notes', prefix: 'a/b/' });
  const given = { NOTEVAULT_S3_ENDPOINT: 'https://s3.example.org', NOTEVAULT_S3_ADDRESSING: 'host' };
  assert.equal(readConfig({ ...given, NOTEVAULT_BLOBS: 's3://notes' }).s3Endpoint, 'https://s3.example.org');
  assert.equal(problemsOf({ ...given, NOTEVAULT_BLOBS: 'disk' }).length, 2);
});

test('readConfig refuses a pool size without PostgreSQL', () => {
  assert.match(problemsOf({ NOTEVAULT_DATABASE_POOL: '5' }).join(), /no effect without NOTEVAULT_DATABASE_URL/);
});

test('a plan file is merged into the built-in plans', () => {
  const file = folder.at('plans.json');
  writeFileSync(file, JSON.stringify({ free: { vaults_cap: 2 } }));
  const config = readConfig({ NOTEVAULT_PLANS: file, NOTEVAULT_DEFAULT_PLAN: 'free' });
  assert.equal(config.plans.free?.vaults_cap, 2);
  assert.equal(config.plans.free?.notes_cap, 10_000);
});

test('readConfig refuses an unusable plan file and an unknown default plan', () => {
  const file = folder.at('bad.json');
  writeFileSync(file, '{"free": {"vaults_cap": "many"}}');
  assert.match(problemsOf({ NOTEVAULT_PLANS: file }).join(), /"vaults_cap" of plan "free" must be/);
  writeFileSync(file, '{"free":');
  assert.match(problemsOf({ NOTEVAULT_PLANS: file }).join(), /is not JSON/);
  assert.match(problemsOf({ NOTEVAULT_PLANS: folder.at('none') }).join(), /cannot be read \(ENOENT\)/);
  assert.match(problemsOf({ NOTEVAULT_DEFAULT_PLAN: 'gold' }).join(), /unknown plan "gold"; known: self_hosted, free/);
});

test('publicUrlOf uses host and port when no public address is configured', () => {
  assert.equal(publicUrlOf({ publicUrl: null, host: '127.0.0.1' }, 4100), 'http://127.0.0.1:4100');
  assert.equal(publicUrlOf({ publicUrl: null, host: '::1' }, 80), 'http://[::1]:80');
  assert.equal(publicUrlOf({ publicUrl: 'https://x', host: '::1' }, 80), 'https://x');
});

test('readConfig refuses an embedder without its options, and options without effect', () => {
  assert.equal(readConfig({}).embedder, 'builtin');
  const onnx = { NOTEVAULT_EMBEDDER: 'onnx', NOTEVAULT_EMBEDDER_MODEL: 'models/small one' };
  assert.equal(readConfig({ ...onnx, NOTEVAULT_EMBEDDER_THREADS: '2' }).embedderModel, 'models/small one');
  const http = {
    NOTEVAULT_EMBEDDER: 'http',
    NOTEVAULT_EMBEDDER_MODEL: 'm',
    NOTEVAULT_EMBEDDER_URL: 'http://localhost/v1',
  };
  assert.equal(readConfig({ ...http, NOTEVAULT_EMBEDDER_KEY: 'sk-1' }).embedderKey?.reveal(), 'sk-1');
  assert.deepEqual(problemsOf({ NOTEVAULT_EMBEDDER: 'onnx' }), [
    'NOTEVAULT_EMBEDDER=onnx needs NOTEVAULT_EMBEDDER_MODEL.',
  ]);
  assert.deepEqual(problemsOf({ NOTEVAULT_EMBEDDER: 'http' }), [
    'NOTEVAULT_EMBEDDER=http needs NOTEVAULT_EMBEDDER_MODEL.',
    'NOTEVAULT_EMBEDDER=http needs NOTEVAULT_EMBEDDER_URL.',
  ]);
  assert.deepEqual(problemsOf({ ...onnx, NOTEVAULT_EMBEDDER_KEY: 'sk-1' }), [
    'NOTEVAULT_EMBEDDER_KEY has no effect with NOTEVAULT_EMBEDDER=onnx.',
  ]);
  assert.equal(problemsOf({ NOTEVAULT_EMBEDDER_MODEL: 'm' }).length, 1);
});
