import { type Finding, type Import, importsOf, isTest, lineAt, mask, resolveImport, type Source } from './sources.ts';

/** The rooms of the domain, in order: each imports only rooms before it. */
export const ladder = [
  ...[
    'plans',
    'keys',
    'tokens',
    'accounts',
    'idempotency',
    'vaults',
    'tree',
    'notes',
    'attachments',
    'links',
    'search',
  ],
  ...['folders', 'sync', 'connections', 'mcp', 'logs'],
];

/** Where everything is put together; these may import all of the server. */
const ROOTS = ['app', 'engines', 'migrations', 'search-thread', 'compute-thread', 'sealed-samples'].map(
  (name) => `server/src/${name}.ts`,
);
/** Used in browsers too: nothing of Node. */
const PURE = ['packages/note-text/', 'packages/protocol/', 'packages/search-index/'];

/** Holds the arrow: routes → verb → store → engine port ← adapter, and packages beneath them all. */
export function checkBoundaries(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    if (isTest(source.path)) return [];
    return [...checkImports(source), ...checkEnvironment(source), ...checkLogMessages(source), ...checkRoom(source)];
  });
}

interface Fault {
  readonly rule: string;
  readonly message: string;
}

function checkImports(source: Source): Finding[] {
  return importsOf(source).flatMap((found) => {
    const fault = faultOf(source.path, found);
    return fault === null ? [] : [{ path: source.path, line: found.line, ...fault }];
  });
}

function faultOf(path: string, found: Import): Fault | null {
  const target = resolveImport(path, found.specifier);
  if (target === null) return pureFault(path, found.specifier);
  if (!/^(tools|bench)\//.test(path) && (isTest(target) || /^(tools|bench)\//.test(target))) {
    return { rule: 'no-tests', message: `${target} is for tests and tools only: move what is shared into the source.` };
  }
  if (path.startsWith('packages/') && !target.startsWith('packages/')) {
    return { rule: 'packages', message: `a package stands alone: it cannot import ${target}.` };
  }
  if (path.startsWith('server/') && target.startsWith('cli/')) {
    return { rule: 'no-cli', message: 'the server does not know its command line: pass the value in.' };
  }
  if (ROOTS.includes(path)) return null;
  const room = roomOf(path);
  if (room !== null) return roomFault(room, target, found.typeOnly);
  if (path.startsWith('server/src/engines/')) return engineFault(path, target);
  return outsideFault(path, target);
}

function pureFault(path: string, specifier: string): Fault | null {
  if (!specifier.startsWith('node:') || !PURE.some((folder) => path.startsWith(folder))) return null;
  return {
    rule: 'pure',
    message: `browsers use this package too: do without ${specifier}, or take it as a parameter.`,
  };
}

/** How work is ordered and where it runs is nobody's domain. */
function isBeneathAll(target: string): boolean {
  return target.startsWith('packages/') || target.startsWith('server/src/concurrency/');
}

interface RoomFile {
  readonly room: string;
  /** `verb` for `<room>.ts` and its helpers; else what stands before `.ts`: store, tables, schema, routes. */
  readonly kind: string;
  /** Only `<room>.ts` itself is the room's door. */
  readonly isDoor: boolean;
}

function roomOf(path: string): RoomFile | null {
  const match = /^server\/src\/domains\/([^/]+)\/(.+)\.ts$/.exec(path);
  if (match === null) return null;
  const [, room = '', name = ''] = match;
  const kind = /\.(store|tables|schema|routes)$/.exec(name)?.[1] ?? 'verb';
  return { room, kind, isDoor: name === room };
}

function roomFault(from: RoomFile, target: string, typeOnly: boolean): Fault | null {
  const to = roomOf(target);
  if (to !== null) return to.room === from.room ? insideFault(from, to) : ladderFault(from, to, typeOnly);
  if (isBeneathAll(target)) return null;
  if (target.startsWith('server/src/http/')) {
    if (from.kind === 'routes' || from.kind === 'schema') return null;
    return { rule: 'arrow', message: 'only routes and schemas know HTTP: throw a NotevaultError, return data.' };
  }
  if (!target.startsWith('server/src/engines/')) {
    return { rule: 'arrow', message: `a room takes values as parameters: it cannot import ${target}.` };
  }
  if (from.kind === 'routes') {
    return { rule: 'arrow', message: `a route calls one verb: move the use of ${target} into the verb.` };
  }
  return isPort(target)
    ? null
    : {
        rule: 'port',
        message: `${target} is behind a port: import ${portOf(target)} and let app.ts choose the adapter.`,
      };
}

/** Inside a room: routes → verb → store → tables; a schema is data for the routes. */
function insideFault(from: RoomFile, to: RoomFile): Fault | null {
  const forbidden: Record<string, string[]> = {
    routes: ['store', 'routes'],
    verb: ['routes'],
    store: ['verb', 'routes', 'schema'],
    tables: ['verb', 'store', 'routes', 'schema'],
    schema: ['store', 'routes'],
  };
  if (!forbidden[from.kind]?.includes(to.kind)) return null;
  // Stores of one room may be split; helpers of the verb that a store needs belong beside the tables.
  return {
    rule: 'arrow',
    message: `a ${from.kind} file cannot import a ${to.kind} file: routes → verb → store → tables.`,
  };
}

function ladderFault(from: RoomFile, to: RoomFile, typeOnly: boolean): Fault | null {
  const [here, there] = [ladder.indexOf(from.room), ladder.indexOf(to.room)];
  if (there < 0) return { rule: 'ladder', message: `"${to.room}" is no room of the ladder in tools/boundaries.ts.` };
  if (there > here) {
    return {
      rule: 'ladder',
      message: `"${from.room}" stands left of "${to.room}": declare a hook in ${from.room}.ts and bind it in app.ts.`,
    };
  }
  // A schema is data: an answer that holds another room's thing shows it as that room does.
  const shows = to.kind === 'schema' && (from.kind === 'schema' || from.kind === 'routes');
  if (to.isDoor || shows || (to.kind === 'tables' && typeOnly)) return null;
  const tables = to.kind === 'tables' ? ' or use `import type`' : '';
  return { rule: 'door', message: `enter "${to.room}" by ${to.room}.ts only: add a verb there${tables}.` };
}

/** A port folder has its port, `<port>.ts`, and for the database the statements that are written against it. */
function isPort(target: string): boolean {
  return target === portOf(target) || target === 'server/src/engines/database/statement.ts';
}

function portOf(target: string): string {
  const folder = /^server\/src\/engines\/([^/]+)\//.exec(target)?.[1] ?? '';
  return `server/src/engines/${folder}/${folder}.ts`;
}

function engineFault(path: string, target: string): Fault | null {
  if (isBeneathAll(target) || portOf(target) === portOf(path)) return null;
  if (!target.startsWith('server/src/engines/')) {
    return { rule: 'arrow', message: `an engine knows nothing above it: take what ${target} gives as a parameter.` };
  }
  return isPort(target) ? null : { rule: 'port', message: `import the other engine’s port, ${portOf(target)}.` };
}

/** http, telemetry, config, the command line: they may use verbs and ports, never a room's inside. */
function outsideFault(path: string, target: string): Fault | null {
  const to = roomOf(target);
  if (path.startsWith('server/src/config/') && target.startsWith('server/src/') && !target.includes('/config/')) {
    if (target === 'server/src/domains/plans/plans.ts') return null;
    return { rule: 'arrow', message: 'the configuration imports nothing of the server but the plan table.' };
  }
  // A bench may measure a part of a room by itself.
  if (to === null || to.isDoor || path.startsWith('bench/')) return null;
  return {
    rule: 'door',
    message: `enter "${to.room}" by ${to.room}.ts only; app.ts alone puts the other files together.`,
  };
}

function checkRoom(source: Source): Finding[] {
  const room = roomOf(source.path)?.room;
  if (room === undefined || ladder.includes(room)) return [];
  const message = `"${room}" is no room of the ladder: give it its place in tools/boundaries.ts and ARCHITECTURE.md.`;
  return [{ path: source.path, line: 1, rule: 'ladder', message }];
}

function checkEnvironment(source: Source): Finding[] {
  if (/^(server\/src\/config|tools|bench)\//.test(source.path)) return [];
  const code = mask(source.text);
  const message = 'only server/src/config reads the environment: declare an option there and pass its value in.';
  return [...code.matchAll(/\bprocess\s*\??\.\s*env\b|\bimport\s*\{[^}]*\benv\b[^}]*\}\s*from\b/g)].map((match) => ({
    path: source.path,
    line: lineAt(code, match.index),
    rule: 'environment',
    message,
  }));
}

/** The logger withholds texts it does not know, but it must believe a line's message: so messages are literals. */
function checkLogMessages(source: Source): Finding[] {
  if (!source.path.startsWith('server/src/')) return [];
  const code = mask(source.text);
  return [
    ...code.matchAll(/\b(?:log|logger)\.(?:trace|debug|info|warn|error|fatal)\([^;]*?(`|' \+|\+ ')[^;]*?\);/g),
  ].map((match) => ({
    path: source.path,
    line: lineAt(code, match.index),
    rule: 'log-literal',
    message: 'a log message is a plain literal: put ids and counts into labels.',
  }));
}
