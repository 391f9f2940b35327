import { basename } from 'node:path/posix';
import { type Finding, type Import, importsOf, isTest, resolveImport, type Source } from './sources.ts';

/**
 * The shelves of server/src/domains with their domains, both in order: a domain imports only domains before it.
 * `http/` uses the domains of `foundation`; the routes of all others use `http/`.
 */
const SHELVES: Readonly<Record<string, readonly string[]>> = {
  foundation: ['plans', 'keys', 'tokens', 'idempotency', 'rights', 'access'],
  content: [
    ...['mails', 'accounts', 'identities', 'vaults', 'activity-log', 'members'],
    ...['entries', 'notes', 'personal', 'attachments', 'links'],
  ],
  reading: ['search', 'sync', 'activity'],
  connecting: ['credentials', 'devices', 'oauth'],
  exchanging: ['uploads', 'mcp', 'imports', 'public-links'],
  operating: ['logs', 'admin', 'downloads'],
};
/** The domains as `<shelf>/<domain>`, in order. */
const DOMAIN_ORDER = Object.entries(SHELVES).flatMap(([shelf, domains]) =>
  domains.map((domain) => `${shelf}/${domain}`),
);

/**
 * Files that other domains may import beside the entry file: values without any rule. If the entry file exported them,
 * a thread that opens one sealed value would have to load the whole domain with its statements. `entries.tables` has
 * the list of columns, which the store of notes selects when it joins their bodies to the table.
 */
const SHARED = [
  'activity-log/actor',
  'entries/cached-entries',
  'entries/entries.tables',
  'entries/precondition',
  'entries/request-paths',
  'entries/revision-conflict',
  'entries/row-slices',
  'entries/sealed-entry',
].map((name) => `server/src/domains/content/${name}.ts`);

/** The composition roots, which may import all of the server. */
const ROOTS =
  /^server\/src\/(app\/.+|backup\/.+|app|open-ports|data\/migrations|search-thread|compute-thread|data\/sealed-samples)\.ts$/;

/**
 * Enforces the dependency rule: routes → operation → store → port ← adapter, and packages below all of them. Which
 * workspaces and packages a source may import at all is in the package.json beside it, which Biome holds it to.
 */
export function checkBoundaries(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    if (isTest(source.path)) return [];
    return [...checkImports(source), ...checkDomain(source)];
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
  if (target === null || isTool(path)) return null;
  if (found.specifier.startsWith('.') && workspaceOf(path) !== workspaceOf(target)) {
    return {
      rule: 'workspace',
      message: `import ${target} by the name of its workspace, and list that in package.json.`,
    };
  }
  if (path.startsWith('web/')) return editorFault(path, target) ?? webLayerFault(path, target);
  if (!/^(server|cli)\//.test(path) || ROOTS.test(path)) return null;
  const domain = domainOf(path);
  if (domain !== null) return domainFault(domain, target, found.typeOnly);
  if (path.startsWith('server/src/ports/')) return portFault(path, target);
  if (isBeneathAll(path)) return beneathAllFault(target);
  return outsideFault(path, target);
}

function workspaceOf(path: string): string {
  return /^(?:(?:packages|clients)\/)?[^/]+\//.exec(path)?.[0] ?? '';
}

function isTool(path: string): boolean {
  return /^(tools|bench)\//.test(path);
}

/** The pages and parts of the web app, in order, beneath `app`, which has all of them. */
const WEB_PAGES = [
  ...['start', 'sharing', 'commands', 'imports', 'queries', 'files', 'tree', 'graph', 'search', 'changes', 'lists'],
  ...['tasks', 'activity', 'export', 'settings', 'note', 'vault', 'checks', 'welcome', 'admin'],
];

/**
 * The folders of web/src in layers, from the lowest: a folder imports only those before it. All parts share `platform` to
 * `page`; `session` to `device` know and keep data for them.
 */
export const WEB_LAYERS = [
  ...['platform', 'i18n', 'ui', 'page'],
  ...['session', 'data', 'media', 'live', 'editor', 'workspace', 'device'],
  ...WEB_PAGES.map((name) => `pages/${name}`),
  'app',
];

/** Returns the layer of a file; null for `main.tsx` and files outside web/src. */
function webLayerOf(path: string): string | null {
  return /^web\/src\/((?:pages\/)?[^/]+)\//.exec(path)?.[1] ?? null;
}

function webLayerFault(path: string, target: string): Fault | null {
  const [from, to] = [webLayerOf(path), webLayerOf(target)];
  if (from === null || to === null || from === to) return null;
  for (const layer of [from, to]) {
    if (WEB_LAYERS.includes(layer)) continue;
    return { rule: 'web-layers', message: `"${layer}" is not in WEB_LAYERS in tools/check/boundaries.ts.` };
  }
  if (WEB_LAYERS.indexOf(to) < WEB_LAYERS.indexOf(from)) return null;
  const message = `"${from}" is beneath "${to}": move what both need into a layer beneath them (web/src/README.md).`;
  return { rule: 'web-layers', message };
}

/** The editor knows neither React nor the rest of the app, which uses it through its entry files. */
function editorFault(path: string, target: string): Fault | null {
  const editor = 'web/src/editor/';
  // What browsers lack, for all of the app.
  if (target.startsWith('web/src/platform/')) return null;
  if (path.startsWith(editor) === target.startsWith(editor) || target.startsWith('packages/')) return null;
  if ([`${editor}index.ts`, `${editor}device.ts`].includes(target)) return null;
  return target.startsWith(editor)
    ? { rule: 'web', message: `use the editor through ${editor}index.ts.` }
    : { rule: 'web', message: `the editor stands alone: take what ${target} gives as a parameter.` };
}

/** Returns whether the target belongs to no domain and may be imported by all: scheduling, threads, events, limits. */
function isBeneathAll(target: string): boolean {
  return /^(packages\/|server\/src\/(concurrency\/|program\/|config\/limits\.ts$|events\.ts$))/.test(target);
}

/** Files beneath all others import nothing else; otherwise folders would form cycles. */
function beneathAllFault(target: string): Fault | null {
  if (isBeneathAll(target)) return null;
  return {
    rule: 'dependency-rule',
    message: `this stands beneath all others: take what ${target} gives as a parameter.`,
  };
}

interface DomainFile {
  /** The domain with its shelf: `content/notes`. */
  readonly domain: string;
  /**
   * `operation` for `<domain>.ts` and its helpers; else the part before `.ts`: store, tables, schema, routes, pages.
   */
  readonly kind: string;
  /** Whether other domains may import it: `<domain>.ts`, or one of the files in `SHARED`. */
  readonly isEntry: boolean;
}

function domainOf(path: string): DomainFile | null {
  const match = /^server\/src\/domains\/([^/]+\/[^/]+)\/(.+)\.ts$/.exec(path);
  if (match === null) return null;
  const [, domain = '', name = ''] = match;
  const kind = /\.(store|tables|schema|routes|pages)$/.exec(name)?.[1] ?? 'operation';
  return { domain, kind, isEntry: name === basename(domain) || SHARED.includes(path) };
}

function isBeneathHttp(domain: string): boolean {
  return domain.startsWith('foundation/');
}

function domainFault(from: DomainFile, target: string, typeOnly: boolean): Fault | null {
  const to = domainOf(target);
  if (to !== null) return to.domain === from.domain ? withinFault(from, to) : orderFault(from, to, typeOnly);
  if (isBeneathAll(target)) return null;
  if (target.startsWith('server/src/http/')) {
    if (isBeneathHttp(from.domain)) {
      return { rule: 'dependency-rule', message: `"${from.domain}" stands beneath http/, which imports it.` };
    }
    if (['routes', 'schema', 'pages'].includes(from.kind)) return null;
    return {
      rule: 'dependency-rule',
      message: 'only routes, schemas and pages know HTTP: throw a NotevaultError, return data.',
    };
  }
  if (!target.startsWith('server/src/ports/')) {
    return { rule: 'dependency-rule', message: `a domain takes values as parameters: it cannot import ${target}.` };
  }
  if (from.kind === 'routes') {
    return {
      rule: 'dependency-rule',
      message: `a route calls one operation: move the use of ${target} into the operation.`,
    };
  }
  return isPort(target)
    ? null
    : {
        rule: 'port',
        message: `${target} is behind a port: import ${portOf(target)} and let open-ports.ts choose the adapter.`,
      };
}

/** Inside a domain: routes → operation → store → tables; schemas and pages are data for the routes. */
function withinFault(from: DomainFile, to: DomainFile): Fault | null {
  const forbidden: Record<string, string[]> = {
    routes: ['store', 'routes'],
    operation: ['routes', 'pages'],
    store: ['operation', 'routes', 'pages', 'schema'],
    tables: ['operation', 'store', 'routes', 'pages', 'schema'],
    schema: ['store', 'routes', 'pages'],
    pages: ['store', 'routes'],
  };
  if (!forbidden[from.kind]?.includes(to.kind)) return null;
  // Stores of one domain may import each other; a helper of the operation that a store needs belongs beside the tables.
  return {
    rule: 'dependency-rule',
    message: `a ${from.kind} file cannot import a ${to.kind} file: routes → operation → store → tables.`,
  };
}

function orderFault(from: DomainFile, to: DomainFile, typeOnly: boolean): Fault | null {
  const [here, there] = [DOMAIN_ORDER.indexOf(from.domain), DOMAIN_ORDER.indexOf(to.domain)];
  if (there < 0)
    return {
      rule: 'domain-order',
      message: `"${to.domain}" is not on its shelf in SHELVES in tools/check/boundaries.ts.`,
    };
  if (there > here) {
    return {
      rule: 'domain-order',
      message: `"${from.domain}" comes before "${to.domain}": declare a hook in ${basename(from.domain)}.ts and bind it in app/.`,
    };
  }
  // A schema is data, so an answer that contains another domain's object uses that domain's schema.
  const shows = to.kind === 'schema' && (from.kind === 'schema' || from.kind === 'routes');
  if (to.isEntry || shows || (to.kind === 'tables' && typeOnly)) return null;
  const tables = to.kind === 'tables' ? ' or use `import type`' : '';
  return {
    rule: 'entry-file',
    message: `import "${to.domain}" through ${basename(to.domain)}.ts only: add an operation there${tables}.`,
  };
}

/**
 * Files of a port beside its interface that others may import: how statements are written for it, and how JSON is
 * sealed.
 */
const BESIDE_PORTS: ReadonlySet<string> = new Set([
  'server/src/ports/database/statement.ts',
  'server/src/ports/keyring/opened-values.ts',
  'server/src/ports/keyring/sealed-json.ts',
]);

/** A port folder has its interface, `<port>.ts`; only open-ports.ts chooses the adapters behind it. */
function isPort(target: string): boolean {
  return target === portOf(target) || BESIDE_PORTS.has(target);
}

function portOf(target: string): string {
  const folder = /^server\/src\/ports\/([^/]+)\//.exec(target)?.[1] ?? '';
  return `server/src/ports/${folder}/${folder}.ts`;
}

function portFault(path: string, target: string): Fault | null {
  if (isBeneathAll(target) || portOf(target) === portOf(path)) return null;
  if (!target.startsWith('server/src/ports/')) {
    return {
      rule: 'dependency-rule',
      message: `a port imports nothing above it: take the values of ${target} as parameters.`,
    };
  }
  return isPort(target) ? null : { rule: 'port', message: `import the other port’s own file, ${portOf(target)}.` };
}

/** http, telemetry, config, the command line: they may import operations and ports, but no inner files of a domain. */
function outsideFault(path: string, target: string): Fault | null {
  const to = domainOf(target);
  if (path.startsWith('server/src/config/') && target.startsWith('server/src/') && !target.includes('/config/')) {
    if (target === 'server/src/domains/foundation/plans/plans.ts') return null;
    return { rule: 'dependency-rule', message: 'the configuration imports nothing of the server but the plan table.' };
  }
  if (path.startsWith('server/src/http/') && to !== null && !isBeneathHttp(to.domain)) {
    return {
      rule: 'dependency-rule',
      message: `http/ stands beneath "${to.domain}", whose routes import it: declare what it needs there, and pass it in.`,
    };
  }
  // A bench may measure an inner part of a domain.
  if (to === null || to.isEntry || path.startsWith('bench/')) return null;
  return {
    rule: 'entry-file',
    message: `import "${to.domain}" through ${basename(to.domain)}.ts only; only server/src/app imports its other files.`,
  };
}

function checkDomain(source: Source): Finding[] {
  const domain = domainOf(source.path)?.domain;
  if (domain === undefined || DOMAIN_ORDER.includes(domain)) return [];
  const message = `"${domain}" is not in SHELVES: add it to SHELVES in tools/check/boundaries.ts and to ARCHITECTURE.md.`;
  return [{ path: source.path, line: 1, rule: 'domain-order', message }];
}
