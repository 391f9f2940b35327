import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBoundaries } from './boundaries.ts';

function rulesIn(path: string, ...lines: string[]): string[] {
  return checkBoundaries([{ path, text: lines.join('\n') }]).map(({ rule }) => rule);
}

const domains = 'server/src/domains';

const refused: [what: string, rule: string, path: string, line: string][] = [
  [
    'a domain importing a later one',
    'domain-order',
    'content/vaults/vaults.ts',
    "import { x } from '../notes/notes.ts';",
  ],
  ['also for a type alone', 'domain-order', 'content/vaults/vaults.ts', "import type { X } from '../notes/notes.ts';"],
  [
    'a domain that SHELVES does not have',
    'domain-order',
    'content/vaults/vaults.ts',
    "import { x } from '../attic/attic.ts';",
  ],
  [
    'a domain of a later shelf',
    'domain-order',
    'content/notes/notes.ts',
    "import { x } from '../../reading/search/search.ts';",
  ],
  ['another domain’s store', 'entry-file', 'content/notes/notes.ts', "import { x } from '../vaults/vaults.store.ts';"],
  ['another domain’s helper', 'entry-file', 'content/notes/notes.ts', "import { x } from '../vaults/slugs.ts';"],
  [
    'another domain’s tables at run time',
    'entry-file',
    'content/notes/notes.ts',
    "import { x } from '../vaults/vaults.tables.ts';",
  ],
  [
    'another domain’s store as a type',
    'entry-file',
    'content/notes/notes.ts',
    "import type { X } from '../vaults/vaults.store.ts';",
  ],
  [
    'a route using its store',
    'dependency-rule',
    'content/notes/notes.routes.ts',
    "import { x } from './notes.store.ts';",
  ],
  [
    'a route using a port',
    'dependency-rule',
    'content/notes/notes.routes.ts',
    "import { x } from '../../../ports/clock/clock.ts';",
  ],
  ['a store using its operation', 'dependency-rule', 'content/notes/notes.store.ts', "import { x } from './notes.ts';"],
  [
    'an operation using its routes',
    'dependency-rule',
    'content/notes/notes.ts',
    "import { x } from './notes.routes.ts';",
  ],
  [
    'an operation using its pages',
    'dependency-rule',
    'connecting/oauth/oauth.ts',
    "import { x } from './oauth.pages.ts';",
  ],
  [
    'pages using their store',
    'dependency-rule',
    'connecting/oauth/oauth.pages.ts',
    "import { x } from './oauth.store.ts';",
  ],
  [
    'a route beneath HTTP',
    'dependency-rule',
    'foundation/access/access.routes.ts',
    "import { x } from '../../../http/route.ts';",
  ],
  [
    'an operation that knows HTTP',
    'dependency-rule',
    'content/notes/notes.ts',
    "import { x } from '../../../http/route.ts';",
  ],
  [
    'an operation that reads the configuration',
    'dependency-rule',
    'content/notes/notes.ts',
    "import { x } from '../../../config/config.ts';",
  ],
  [
    'a domain that imports the whole',
    'dependency-rule',
    'content/notes/notes.ts',
    "import { x } from '../../../app.ts';",
  ],
  [
    'an adapter behind its port',
    'port',
    'content/notes/notes.ts',
    "import { x } from '../../../ports/database/sqlite.ts';",
  ],
];
for (const [what, rule, file, line] of refused) {
  test(`checkBoundaries refuses in a domain: ${what}`, () =>
    assert.deepEqual(rulesIn(`${domains}/${file}`, line), [rule]));
}

const allowed: [what: string, path: string, line: string][] = [
  ['an earlier domain, by its operation', 'content/notes/notes.ts', "import { x } from '../vaults/vaults.ts';"],
  ['its tables’ types', 'content/notes/notes.store.ts', "import type { X } from '../vaults/vaults.tables.ts';"],
  ['the own store and helpers', 'content/notes/notes.ts', "import { x } from './notes.store.ts';"],
  ['a domain of an earlier shelf', 'reading/search/search.ts', "import { x } from '../../content/notes/notes.ts';"],
  ['a port', 'content/notes/notes.ts', "import { x } from '../../../ports/clock/clock.ts';"],
  ['the statements', 'content/notes/notes.store.ts', "import { x } from '../../../ports/database/statement.ts';"],
  ['HTTP in routes', 'content/notes/notes.routes.ts', "import { x } from '../../../http/route.ts';"],
  ['HTTP in pages', 'connecting/oauth/oauth.pages.ts', "import { x } from '../../../http/pages.ts';"],
  ['a package', 'content/notes/notes.ts', "import { x } from '@notevault/note-text/links.ts';"],
  ['anything in a test', 'content/notes/notes.test.ts', "import { x } from '../sync/sync.store.ts';"],
];
for (const [what, file, line] of allowed) {
  test(`checkBoundaries allows in a domain: ${what}`, () => assert.deepEqual(rulesIn(`${domains}/${file}`, line), []));
}

test('checkBoundaries refuses a folder that is not in SHELVES, or on another shelf', () => {
  assert.deepEqual(rulesIn(`${domains}/reading/notes/notes.ts`, 'export const x = 1;'), ['domain-order']);
  assert.deepEqual(rulesIn(`${domains}/content/attic/attic.ts`, 'export const x = 1;'), ['domain-order']);
});

test('checkBoundaries lets a port import nothing above it, and of other ports only their interface', () => {
  const sqlite = 'server/src/ports/database/sqlite/sqlite.ts';
  assert.deepEqual(rulesIn(sqlite, "import { x } from '../../../domains/content/notes/notes.ts';"), [
    'dependency-rule',
  ]);
  assert.deepEqual(rulesIn(sqlite, "import { x } from '../../../http/http.ts';"), ['dependency-rule']);
  assert.deepEqual(rulesIn(sqlite, "import { x } from '../../keyring/sealing.ts';"), ['port']);
  assert.deepEqual(rulesIn(sqlite, "import { x } from '../../clock/clock.ts';"), []);
  assert.deepEqual(rulesIn(sqlite, "import { x } from '../../../concurrency/fair-queue.ts';"), []);
  assert.deepEqual(rulesIn(sqlite, "import { x } from './writer.ts';"), []);
});

test('checkBoundaries lets concurrency/ and events.ts import only files beneath all others', () => {
  const path = 'server/src/concurrency/task-worker.ts';
  assert.deepEqual(rulesIn(path, "import { x } from '../ports/gc/gc.ts';"), ['dependency-rule']);
  assert.deepEqual(rulesIn('server/src/events.ts', "import { x } from './app.ts';"), ['dependency-rule']);
  assert.deepEqual(rulesIn(path, "import { x } from '@notevault/protocol/errors.ts';"), []);
});

test('checkBoundaries lets a folder of the web app import only layers beneath it', () => {
  const tree = 'web/src/pages/tree/vault-tree.tsx';
  assert.deepEqual(rulesIn(tree, "import { x } from '../vault/sidebar.tsx';"), ['web-layers']);
  assert.deepEqual(rulesIn(tree, "const x = import('../note/note-page.tsx');"), ['web-layers']);
  assert.deepEqual(rulesIn(tree, "import type { X } from '../attic/attic.ts';"), ['web-layers']);
  assert.deepEqual(rulesIn(tree, "import type { X } from '../../attic/attic.ts';"), ['web-layers']);
  assert.deepEqual(rulesIn(tree, "import { x } from '../files/add-files.ts';"), []);
  assert.deepEqual(rulesIn(tree, "import { x } from '../../data/tree/moves.ts';"), []);
  assert.deepEqual(rulesIn('web/src/data/tree/moves.ts', "import { x } from '../../pages/tree/tree-menu.ts';"), [
    'web-layers',
  ]);
  assert.deepEqual(rulesIn('web/src/main.tsx', "import { x } from './app/app.tsx';"), []);
});

test('checkBoundaries lets http import no domain that has routes', () => {
  const path = 'server/src/http/route.ts';
  assert.deepEqual(rulesIn(path, "import type { X } from '../domains/content/vaults/vaults.ts';"), ['dependency-rule']);
  assert.deepEqual(rulesIn(path, "import type { X } from '../domains/connecting/oauth/oauth.ts';"), [
    'dependency-rule',
  ]);
  assert.deepEqual(rulesIn(path, "import type { X } from '../domains/foundation/access/access.ts';"), []);
  assert.deepEqual(rulesIn(path, "import type { X } from '../domains/foundation/access/access.store.ts';"), [
    'entry-file',
  ]);
});

test('checkBoundaries lets only the composition roots import every file of a domain', () => {
  const line = "import { x } from './domains/content/notes/notes.routes.ts';";
  assert.deepEqual(rulesIn('server/src/app.ts', line), []);
  assert.deepEqual(rulesIn('server/src/app/routes.ts', line.replace('./', '../')), []);
  assert.deepEqual(rulesIn('server/src/telemetry/telemetry.ts', line.replace('./', '../')), ['entry-file']);
  assert.deepEqual(
    rulesIn('cli/src/import.ts', "import { x } from '@notevault/server/domains/content/notes/notes.store.ts';"),
    ['entry-file'],
  );
});

test('checkBoundaries lets the configuration import nothing of the server but the plan table', () => {
  const path = 'server/src/config/config.ts';
  assert.deepEqual(rulesIn(path, "import { x } from '../domains/content/vaults/vaults.ts';"), ['dependency-rule']);
  assert.deepEqual(rulesIn(path, "import { x } from '../domains/foundation/plans/plans.ts';"), []);
});

test('checkBoundaries names file, line and remedy in each finding', () => {
  const text = ['', "import { x } from '../notes/notes.ts';"].join('\n');
  const [finding] = checkBoundaries([{ path: `${domains}/content/vaults/vaults.ts`, text }]);
  assert.equal(finding?.line, 2);
  assert.match(finding?.message ?? '', /declare a hook in vaults\.ts and bind it in app\//);
});

test('checkBoundaries refuses relative imports of another workspace', () => {
  assert.deepEqual(rulesIn('packages/client/src/a.ts', "import { x } from '../../../server/src/app.ts';"), [
    'workspace',
  ]);
  assert.deepEqual(rulesIn('packages/client/src/a.ts', "import { x } from '../../sync/src/a.ts';"), ['workspace']);
  assert.deepEqual(rulesIn('packages/client/src/a.ts', "import { x } from './b.ts';"), []);
});
