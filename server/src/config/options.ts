import {
  blobStore,
  choice,
  databaseUrl,
  extensions,
  hostName,
  integer,
  key256,
  line,
  origins,
  path,
  proxies,
  publicUrl,
  redirects,
  serviceUrl,
  timeOfDay,
  token,
  type ValueKind,
  word,
} from './values.ts';

/** One option, declared once: environment, flags, checks and docs are derived from it. */
export interface Option<T, Default extends T | null> {
  readonly group: Group;
  readonly kind: ValueKind<T>;
  readonly default: Default;
  /** The default in words, if the value alone is not clear. */
  readonly absent?: string;
  /** The effect of the option, in one sentence. */
  readonly does: string;
  /** Whether its value must never appear in messages or logs. */
  readonly secret?: true;
}

export const groups = {
  network: 'Network',
  storage: 'Storage and keys',
  accounts: 'Accounts and plans',
  search: 'Search',
  analytics: 'Analytics',
  process: 'Process',
} as const;
type Group = keyof typeof groups;

function optionsOf(group: Group) {
  return <T, const Default extends T | null>(declared: Omit<Option<T, Default>, 'group'>): Option<T, Default> => ({
    group,
    ...declared,
  });
}

const network = optionsOf('network');
const storage = optionsOf('storage');
const accounts = optionsOf('accounts');
const search = optionsOf('search');
const analytics = optionsOf('analytics');
const server = optionsOf('process');

export const options = {
  host: network({
    kind: hostName,
    default: '127.0.0.1',
    does: 'Address to listen on; 0.0.0.0 or :: for all.',
  }),
  port: network({
    kind: integer(0, 65_535),
    default: 4100,
    does: 'Port to listen on; 0 takes any free one.',
  }),
  publicUrl: network({
    kind: publicUrl,
    default: null,
    absent: 'http://HOST:PORT',
    does: 'Public address of the server for clients; with https, cookies are marked secure.',
  }),
  trustProxy: network({
    kind: proxies,
    default: [],
    absent: 'none',
    does: 'Reverse proxies whose X-Forwarded-For header is trusted.',
  }),
  corsOrigins: network({
    kind: origins,
    default: ['*'],
    does: 'Web origins that may call the API from a browser, beside those of the Obsidian app; `none` takes these away.',
  }),
  socketsPerUser: network({
    kind: integer(1, 100_000),
    default: 200,
    does: 'Most WebSockets that one user may have open at once.',
  }),
  documentsPerSocket: network({
    kind: integer(1, 100_000),
    default: 1000,
    does: 'Most documents that may be open over one WebSocket.',
  }),
  dataDir: storage({
    kind: path,
    default: './data',
    does: 'Folder for everything that the server stores on disk.',
  }),
  databaseUrl: storage({
    kind: databaseUrl,
    default: null,
    absent: 'SQLite in the data folder',
    does: 'PostgreSQL database to use instead of the embedded one.',
    secret: true,
  }),
  databaseDirectUrl: storage({
    kind: databaseUrl,
    default: null,
    absent: 'the same',
    does: 'Address of the same PostgreSQL database without a pooler in between, for what needs a connection of its own: signals between processes, changes of the schema, backups.',
    secret: true,
  }),
  databasePrepared: storage({
    kind: choice('on', 'off'),
    default: 'on',
    does: 'Whether statements are prepared once per PostgreSQL connection; off behind a pooler in transaction mode.',
  }),
  databasePool: storage({
    kind: integer(2, 500),
    default: 10,
    does: 'Most PostgreSQL connections of this process.',
  }),
  blobs: storage({
    kind: blobStore,
    default: null,
    absent: 'disk; with PostgreSQL: database',
    does: 'Where attachments are stored, sealed: in the data folder (which all processes on one PostgreSQL database must then share), in the database, or in an S3 bucket. Stored attachments are not moved when this changes.',
  }),
  s3Endpoint: storage({
    kind: serviceUrl,
    default: null,
    absent: 'AWS',
    does: 'Address of an S3 service other than AWS. Credentials and region are read where AWS tools look: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, files, roles.',
  }),
  s3Addressing: storage({
    kind: choice('path', 'host'),
    default: null,
    absent: 'path with an endpoint, host on AWS',
    does: 'How addresses name the bucket: in the path (https://s3.example.org/notes) or in the host name (https://notes.s3.example.org).',
  }),
  versionsHourlyDays: storage({
    kind: integer(1, 36_500),
    default: 30,
    does: 'Age in days up to which one version of a note per hour is kept; for the first day, all are.',
  }),
  versionsDailyDays: storage({
    kind: integer(1, 36_500),
    default: 365,
    does: 'Age in days up to which one version of a note per day is kept; older ones are deleted.',
  }),
  tombstoneDays: storage({
    kind: integer(1, 36_500),
    default: 90,
    does: 'Days for which tombstones are kept and what was deleted can be restored; a device that was offline for longer reads everything again.',
  }),
  attachmentExtensions: storage({
    kind: extensions,
    default: null,
    absent: 'images, audio, video, PDF, office and e-book formats, text and data, fonts, zip',
    does: 'Allowed file extensions of attachments, instead of the defaults.',
  }),
  masterKey: storage({
    kind: key256,
    default: null,
    absent: 'a key file in the data folder, made at the first start',
    does: 'Master key, which wraps all other keys. Prefer the environment to a flag, which other users of the machine can see.',
    secret: true,
  }),
  backupDir: storage({
    kind: path,
    default: null,
    absent: 'no backups by itself',
    does: 'Folder into which the server takes a backup each day, without the master key; see “Backups” in docs/operations.md.',
  }),
  backupAt: storage({
    kind: timeOfDay,
    default: '02:00',
    does: 'Local time of the daily backup; one that was missed is made up for.',
  }),
  backupKeep: storage({
    kind: integer(1, 10_000),
    default: 14,
    does: 'How many backups to keep in that folder.',
  }),
  registration: accounts({
    kind: choice('open', 'invite_only', 'closed'),
    default: 'invite_only',
    does: 'Who may create an account; the first account is always allowed.',
  }),
  plans: accounts({
    kind: path,
    default: null,
    absent: 'built-in plans only',
    does: 'JSON file of plans, which changes the built-in plans or adds new ones.',
  }),
  defaultPlan: accounts({
    kind: word,
    default: 'self_hosted',
    does: 'Plan of new accounts.',
  }),
  authRateLimit: accounts({
    kind: integer(0, 1_000_000),
    default: 10,
    does: 'Sign-in requests per minute for one address and path, and refreshes for one session; 0 disables the limits.',
  }),
  mcpWritesPerMinute: accounts({
    kind: integer(0, 1_000_000),
    default: 60,
    does: 'Writes and dry runs per minute that assistants may make with one credential; 0 disables the limit.',
  }),
  searchMemoryMb: search({
    kind: integer(16, 1_000_000),
    default: 512,
    does: 'Memory in MB for the search indexes of all vaults; the least recently used are evicted.',
  }),
  embedder: search({
    kind: choice('builtin', 'onnx', 'http'),
    default: 'builtin',
    does: 'What makes vectors for search: the builtin embedder (words and their pieces), a model in a folder, or a server with OpenAI’s API.',
  }),
  embedderModel: search({
    kind: line,
    default: null,
    absent: 'none',
    does: 'For onnx, the folder with model.onnx and tokenizer.json; for http, the model’s name.',
  }),
  embedderUrl: search({
    kind: serviceUrl,
    default: null,
    absent: 'none',
    does: 'For http, the base address of /embeddings, such as https://api.example.org/v1.',
  }),
  embedderKey: search({
    kind: token,
    default: null,
    absent: 'none',
    does: 'For http, the bearer token to send.',
    secret: true,
  }),
  embedderThreads: search({
    kind: integer(1, 256),
    default: null,
    absent: 'a quarter of the processors, at least one',
    does: 'For onnx, the number of threads of a calculation.',
  }),
  oauthVerifiedRedirects: accounts({
    kind: redirects,
    default: [],
    absent: 'none',
    does: 'Redirect addresses of OAuth applications, in full, that the consent page shows as verified.',
  }),
  embedderShare: search({
    kind: integer(1, 100),
    default: 50,
    does: 'Share of the embedder’s time, in percent, for making vectors of notes; search queries go first.',
  }),
  analytics: analytics({
    kind: choice('none', 'log', 'posthog'),
    default: 'none',
    does: 'Where product analytics events are sent: nowhere, to the log, or to a server with PostHog’s API. Users who opt out send none.',
  }),
  analyticsUrl: analytics({
    kind: serviceUrl,
    default: null,
    absent: 'none',
    does: 'For posthog, the address of the server, such as https://eu.posthog.com.',
  }),
  analyticsKey: analytics({
    kind: token,
    default: null,
    absent: 'none',
    does: 'For posthog, the key of the project that receives the events.',
    secret: true,
  }),
  analyticsEraseKey: analytics({
    kind: token,
    default: null,
    absent: 'none',
    does: 'For posthog, a personal key with permission to delete persons; it is used to erase users who opt out.',
    secret: true,
  }),
  analyticsProject: analytics({
    kind: word,
    default: '@current',
    absent: 'the project of the personal key',
    does: 'For posthog, the id of the project from which persons are deleted.',
  }),
  metricsToken: server({
    kind: token,
    default: null,
    absent: 'no metrics',
    does: 'Bearer token for /metrics, for Prometheus; without one no metrics are collected.',
    secret: true,
  }),
  otlpUrl: server({
    kind: serviceUrl,
    default: null,
    absent: 'no traces',
    does: 'Address of an OpenTelemetry collector, such as http://localhost:4318. Traces go to /v1/traces below it, as JSON over HTTP, with the headers of OTEL_EXPORTER_OTLP_HEADERS.',
  }),
  logLevel: server({
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    does: 'Lowest level that is logged.',
  }),
  memoryMb: server({
    kind: integer(128, 1_000_000),
    default: null,
    absent: 'the defaults of the single options',
    does: 'Memory in MB that the server should about need; the limits of caches and of the heap follow from it where they are not given themselves.',
  }),
  hotVaultsMb: server({
    kind: integer(1, 1_000_000),
    default: 256,
    does: 'Memory in MB for the cached lists of vaults in use; the least recently used vaults are evicted.',
  }),
  shutdownSeconds: server({
    kind: integer(0, 600),
    default: 10,
    does: 'Time for running requests to finish when the server stops.',
  }),
} as const;

export type OptionName = keyof typeof options;

/** An option whose value type does not matter. */
export type AnyOption = Option<unknown, unknown>;

/** dataDir → DATA_DIR → NOTEVAULT_DATA_DIR. */
export function variableOf(name: OptionName): string {
  return `NOTEVAULT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** dataDir → --data-dir. */
export function flagOf(name: OptionName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** In order of declaration. */
export function listOptions(): { name: OptionName; option: AnyOption }[] {
  return (Object.keys(options) as OptionName[]).map((name) => ({ name, option: options[name] }));
}
