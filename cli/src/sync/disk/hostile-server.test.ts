import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { SyncEngine } from '@notevault/sync/engine/engine.ts';
import type { Server } from '@notevault/sync/engine/ports.ts';
import { Approval } from '@notevault/sync/plan/approval.ts';
import type { RemoteFile } from '@notevault/sync/plan/trees.ts';
import { SimStore } from '../../../../packages/sync/test/simulation/sim-store.ts';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { nodeClock } from '../run/node-clock.ts';
import { nodeHashing } from '../run/node-hashing.ts';
import { NodeDisk } from './node-disk.ts';
import { Trash } from './trash.ts';

/** Names that lead out of a folder, into its hidden places, or to something else than a file. */
const TRAPS = [
  ...[
    '..',
    '.',
    '...',
    '',
    '/',
    '//',
    '\\',
    '..\\..',
    'C:',
    'c:\\x',
    '\\\\host\\share',
    'a\0b',
    '\0',
    'a\nb',
    'a\x7fb',
  ],
  ...[
    '.git',
    '.GIT',
    '.git/hooks',
    '.notevault',
    '.Notevault',
    '.notevaultignore',
    '.obsidian',
    '.ssh',
    '.bashrc',
    '.env',
  ],
  ...['\u200c.git', '.g\u200cit', '\ufeff.notevault', '\u202e.git', 'git~1', 'GIT~1', 'NOTEVA~1', 'OBSIDI~2'],
  ...['a:b', 'a:$DATA', 'a::$INDEX_ALLOCATION', 'a<b', 'a>b', 'a"b', 'a|b', 'a?b', 'a*b', 'a.', 'a ', 'a...'],
  ...[
    'con',
    'CON',
    'con.txt',
    'nul',
    'NUL.x',
    'prn',
    'aux',
    'com1',
    'COM9.tar',
    'com¹',
    'lpt3',
    'CONIN$',
    'conout$',
    'nul ',
  ],
  'link',
  'link/x',
  'linked',
  'x'.repeat(256),
  '\ud800',
  'e\u0301',
];
const SHAPES: ((trap: string) => string)[] = [
  (trap) => trap,
  (trap) => `${trap}/x.md`,
  (trap) => `${trap}/x.png`,
  (trap) => `ok/${trap}`,
  (trap) => `ok/${trap}/x.md`,
  (trap) => `${trap}.md`,
  (trap) => `/${trap}`,
  (trap) => `../${trap}`,
  (trap) => `ok/../../${trap}`,
];
/** Ordinary names. */
const ORDINARY = [
  'link.md',
  'linked.md',
  'ok/link',
  'ok/linked',
  'ok/link/x',
  'ok/link/x.md',
  'ok/linked/x.md',
  'ok/link/x/x.md',
  'a .md',
  'a..md',
  'a....md',
];

const hostilePaths = [
  ...new Set(SHAPES.flatMap((shape) => TRAPS.map(shape))),
  ...['etc/passwd', 'tmp/x'].map((path) => `/${path}`),
  `${'a/'.repeat(3000)}x.md`,
].filter((path) => !ORDINARY.includes(path));

const TEXT = 'written by a hostile server\n';
const HASH = createHash('sha256').update(TEXT).digest('hex');

/** Returns a server that lists any paths, as files or as folders. */
function hostileServer(files: readonly string[], folders: readonly string[]): Server {
  const rows = files.map((path, index): RemoteFile => ({ id: `${index}`, path, hash: HASH, version: 1, mtime: 1 }));
  const refuse = async () => ({ kind: 'refused', reason: 'is not taken' }) as const;
  return {
    changes: async (cursor) => ({
      changes: cursor === null ? rows.map((row) => ({ ...row, deleted: false })) : [],
      unreadable: [],
      cursor: '1',
      hasMore: false,
      seq: null,
      isReadOnly: false,
    }),
    hasInTrash: async () => false,
    known: async () => null,
    folders: async () => folders,
    read: async () => ({
      hash: HASH,
      version: 1,
      size: TEXT.length,
      bytes: (async function* () {
        yield new TextEncoder().encode(TEXT);
      })(),
    }),
    createNotes: async (notes) => notes.map(() => ({ kind: 'refused', reason: 'is not taken' })),
    pushNote: refuse,
    putAttachment: refuse,
    move: refuse,
    moveMany: refuse,
    moveFolder: async () => 'changed',
    delete: async () => 'changed',
    makeFolder: async () => 'changed',
    removeFolder: async () => undefined,
  };
}

/** Every entry below a folder with its content, links not followed. */
function snapshot(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${entry.isFile() ? readFileSync(path, 'utf8') : ''}`;
    })
    .sort();
}

it(`a hostile server that names ${hostilePaths.length} paths writes none of them, and each is listed`, async () => {
  assert.ok(hostilePaths.length > 500);
  using folder = new Folder();
  const root = folder.at('home/vault');
  mkdirSync(root, { recursive: true });
  mkdirSync(folder.at('state'));
  mkdirSync(folder.at('outside'));
  writeFileSync(folder.at('outside/x.md'), 'outside');
  symlinkSync(folder.at('outside'), join(root, 'linked'));
  symlinkSync(folder.at('outside'), join(root, 'link'));
  using trash = await Trash.open(folder.at('state'));
  const disk = await NodeDisk.open({ root, trash });
  const outside = () =>
    snapshot(folder.path).filter((line) => !line.startsWith(`${root}/`) && !line.includes('/state/'));
  const before = [outside(), snapshot(join(root, '.notevault'))];
  const server = hostileServer([...hostilePaths, 'ok/good.md', 'good.png'], hostilePaths);
  const engine = await SyncEngine.open(
    { disk, server, store: new SimStore(), clock: nodeClock(), hashing: nodeHashing },
    { device: 'desk' },
  );
  const { unsynced } = await engine.sync({ approval: new Approval() });
  assert.deepEqual([outside(), snapshot(join(root, '.notevault'))], before);
  // A file at the path of a folder comes as a conflict copy, under an ordinary name.
  const namesIn = (at: string) =>
    readdirSync(at)
      .filter((name) => !name.startsWith('CON (conflict desk '))
      .sort();
  assert.deepEqual(namesIn(root), ['.notevault', 'good.png', 'link', 'linked', 'ok']);
  assert.deepEqual(namesIn(join(root, 'ok')), ['good.md']);
  assert.equal(statSync(join(root, 'good.png')).size, TEXT.length);
  // Of two names that differ only by case, one is listed as the conflict copy that it would be.
  const listed = new Set(unsynced.map(({ path }) => path.toLowerCase().replace(/ \(conflict [^)]*\)/, '')));
  const silent = hostilePaths.filter((path) => !listed.has(path.toLowerCase()) && !path.startsWith('.obsidian'));
  assert.deepEqual(silent, []);
});

const sizeOf = (text: string) => new TextEncoder().encode(text).length;

it('bytes of another hash or size than the server announced never get the name of a file, and are listed', async () => {
  using folder = new Folder();
  const root = folder.at('vault');
  mkdirSync(root);
  mkdirSync(folder.at('state'));
  using trash = await Trash.open(folder.at('state'));
  const disk = await NodeDisk.open({ root, trash });
  const store = new SimStore();
  const sent = (text: string, size: number | null) => ({
    hash: HASH,
    version: 1,
    size,
    bytes: (async function* () {
      yield new TextEncoder().encode(text);
    })(),
  });
  const other = TEXT.replace('hostile', 'helpful');
  const texts: [string, number | null][] = [
    [other, sizeOf(other)],
    [other, null],
    [`${TEXT}more`, sizeOf(TEXT)],
    [TEXT.slice(1), sizeOf(TEXT)],
  ];
  const names = texts.flatMap((_, index) => [`${index}.md`, `${index}.png`]);
  const server: Server = {
    ...hostileServer(names, []),
    read: async ({ path }) => sent(...(texts[Number.parseInt(path, 10)] ?? ['', 0])),
  };
  const ports = { disk, server, store, clock: nodeClock(), hashing: nodeHashing };
  const { unsynced } = await (await SyncEngine.open(ports, { device: 'desk' })).sync({ approval: new Approval() });
  assert.deepEqual(readdirSync(root), ['.notevault']);
  assert.deepEqual(readdirSync(join(root, '.notevault/tmp')), []);
  assert.deepEqual(unsynced.map(({ path }) => path).sort(), names.sort());
});

it('a hostile server that moves and deletes synced files takes none of them out of the folder', async () => {
  using folder = new Folder();
  const root = folder.at('vault');
  mkdirSync(root);
  mkdirSync(folder.at('state'));
  using trash = await Trash.open(folder.at('state'));
  const disk = await NodeDisk.open({ root, trash });
  for (const path of hostilePaths.filter((path) => !path.includes('link'))) {
    const found = await disk.list();
    if (found.files.length === 0) writeFileSync(join(root, 'a.md'), 'mine');
    const [file] = (await disk.list()).files;
    assert.ok(file);
    await assert.rejects(disk.move(file, path), { name: /^Disk(Refused|Changed)$/ }, JSON.stringify(path));
    await assert.rejects(disk.moveMany([{ from: file, to: path }]), { name: /^Disk(Refused|Changed)$/ }, path);
    await assert.rejects(disk.makeFolder(path), { name: /^Disk(Refused|Changed)$/ }, JSON.stringify(path));
    await assert.rejects(disk.moveFolder('', path), { name: /^Disk(Refused|Changed)$/ }, JSON.stringify(path));
  }
  assert.deepEqual(readdirSync(root).sort(), ['.notevault', 'a.md']);
});
