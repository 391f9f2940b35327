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
  token,
  type ValueKind,
  word,
} from './values.ts';

/** One option, declared once: environment, flags, checks and docs all come from this. */
export interface Option<T, Default extends T | null> {
  readonly group: Group;
  readonly kind: ValueKind<T>;
  readonly default: Default;
  /** The default in words, where the value alone does not say it. */
  readonly absent?: string;
  /** What it does, in one sentence. */
  readonly does: string;
  /** Its value never appears in messages or logs. */
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

function option<T, const Default extends T | null>(declared: Option<T, Default>): Option<T, Default> {
  return declared;
}

export const options = {
  host: option({
    group: 'network',
    kind: hostName,
    default: '127.0.0.1',
    does: 'Address to listen on; 0.0.0.0 or :: for all.',
  }),
  port: option({
    group: 'network',
    kind: integer(0, 65_535),
    default: 4100,
    does: 'Port to listen on; 0 takes any free one.',
  }),
  publicUrl: option({
    group: 'network',
    kind: publicUrl,
    default: null,
    absent: 'http://HOST:PORT',
    does: 'Address under which clients reach the server; https makes cookies secure.',
  }),
  trustProxy: option({
    group: 'network',
    kind: proxies,
    default: [],
    absent: 'none',
    does: 'Reverse proxies whose X-Forwarded-For header is believed.',
  }),
  corsOrigins: option({
    group: 'network',
    kind: origins,
    default: ['*'],
    does: 'Web origins that may call the API from a browser.',
  }),
  socketsPerUser: option({
    group: 'network',
    kind: integer(1, 100_000),
    default: 200,
    does: 'WebSockets that one user may have open at once.',
  }),
  documentsPerSocket: option({
    group: 'network',
    kind: integer(1, 100_000),
    default: 1000,
    does: 'Documents that may be open over one WebSocket.',
  }),
  dataDir: option({
    group: 'storage',
    kind: path,
    default: './data',
    does: 'Folder for everything the server keeps on disk.',
  }),
  databaseUrl: option({
    group: 'storage',
    kind: databaseUrl,
    default: null,
    absent: 'SQLite in the data folder',
    does: 'PostgreSQL database to use instead of the embedded one.',
    secret: true,
  }),
  databasePool: option({
    group: 'storage',
    kind: integer(2, 500),
    default: 10,
    does: 'PostgreSQL connections this process may hold.',
  }),
  blobs: option({
    group: 'storage',
    kind: blobStore,
    default: null,
    absent: 'disk; with PostgreSQL: database',
    does: 'Where attachments are kept, sealed: in the data folder (which all processes on one PostgreSQL then must share), in the database, or in an S3 bucket. What is there already does not move when this changes.',
  }),
  s3Endpoint: option({
    group: 'storage',
    kind: serviceUrl,
    default: null,
    absent: 'AWS',
    does: 'Address of an S3 service that is not AWS. Credentials and region come from where AWS tools look: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, files, roles.',
  }),
  s3Addressing: option({
    group: 'storage',
    kind: choice('path', 'host'),
    default: null,
    absent: 'path with an endpoint, host on AWS',
    does: 'Where the bucket stands in addresses: in the path (https://s3.example.org/notes) or before the host (https://notes.s3.example.org).',
  }),
  versionsHourlyDays: option({
    group: 'storage',
    kind: integer(1, 36_500),
    default: 30,
    does: 'Age in days until which one version of a note an hour is kept; all are kept for a day.',
  }),
  versionsDailyDays: option({
    group: 'storage',
    kind: integer(1, 36_500),
    default: 365,
    does: 'Age in days until which one version of a note a day is kept; older ones are deleted.',
  }),
  tombstoneDays: option({
    group: 'storage',
    kind: integer(1, 36_500),
    default: 90,
    does: 'Days for which deletions are kept for devices that were away; a device away for longer reads everything anew.',
  }),
  attachmentExtensions: option({
    group: 'storage',
    kind: extensions,
    default: null,
    absent: 'images, audio, video, PDF, office and e-book formats, text and data, fonts, zip',
    does: 'Extensions of the files that vaults take as attachments, instead of the usual ones.',
  }),
  masterKey: option({
    group: 'storage',
    kind: key256,
    default: null,
    absent: 'a key file in the data folder, made at the first start',
    does: 'Key that wraps all other keys; better in the environment than as a flag, which other users can see.',
    secret: true,
  }),
  registration: option({
    group: 'accounts',
    kind: choice('open', 'invite_only', 'closed'),
    default: 'invite_only',
    does: 'Who may create an account; the first account is always allowed.',
  }),
  plans: option({
    group: 'accounts',
    kind: path,
    default: null,
    absent: 'built-in plans only',
    does: 'JSON file of plans that changes or adds to the built-in ones.',
  }),
  defaultPlan: option({
    group: 'accounts',
    kind: word,
    default: 'self_hosted',
    does: 'Plan of new accounts.',
  }),
  authRateLimit: option({
    group: 'accounts',
    kind: integer(0, 1_000_000),
    default: 10,
    does: 'Sign-in requests a minute for one address and path; 0 switches the limit off.',
  }),
  searchMemoryMb: option({
    group: 'search',
    kind: integer(16, 1_000_000),
    default: 512,
    does: 'Memory in MB that search indexes of all vaults may take together; those not used for longest make room.',
  }),
  embedder: option({
    group: 'search',
    kind: choice('builtin', 'onnx', 'http'),
    default: 'builtin',
    does: 'What makes vectors for search: itself (words and their pieces), a model in a folder, or a server with OpenAI’s API.',
  }),
  embedderModel: option({
    group: 'search',
    kind: line,
    default: null,
    absent: 'none',
    does: 'For onnx the folder with model.onnx and tokenizer.json, for http the model’s name.',
  }),
  embedderUrl: option({
    group: 'search',
    kind: serviceUrl,
    default: null,
    absent: 'none',
    does: 'For http, the address that /embeddings is under, such as https://api.example.org/v1.',
  }),
  embedderKey: option({
    group: 'search',
    kind: token,
    default: null,
    absent: 'none',
    does: 'For http, the bearer token to send.',
    secret: true,
  }),
  embedderThreads: option({
    group: 'search',
    kind: integer(1, 256),
    default: null,
    absent: 'a quarter of the processors, at least one',
    does: 'For onnx, the threads a calculation may use.',
  }),
  oauthVerifiedRedirects: option({
    group: 'accounts',
    kind: redirects,
    default: [],
    absent: 'none',
    does: 'Redirect addresses of OAuth applications to show as verified, in full.',
  }),
  embedderShare: option({
    group: 'search',
    kind: integer(1, 100),
    default: 50,
    does: 'Share of the time, in percent, that making vectors of notes may take of the embedder; questions come first.',
  }),
  analytics: option({
    group: 'analytics',
    kind: choice('none', 'log', 'posthog'),
    default: 'none',
    does: 'Where product events of people who do not object go: nowhere, to the log, or to a server with PostHog’s API.',
  }),
  analyticsUrl: option({
    group: 'analytics',
    kind: serviceUrl,
    default: null,
    absent: 'none',
    does: 'For posthog, the address of the server, such as https://eu.posthog.com.',
  }),
  analyticsKey: option({
    group: 'analytics',
    kind: token,
    default: null,
    absent: 'none',
    does: 'For posthog, the key of the project that events go into.',
    secret: true,
  }),
  analyticsEraseKey: option({
    group: 'analytics',
    kind: token,
    default: null,
    absent: 'none',
    does: 'For posthog, a personal key that may delete persons: whoever objects is erased with it.',
    secret: true,
  }),
  analyticsProject: option({
    group: 'analytics',
    kind: word,
    default: '@current',
    absent: 'the one of the personal key',
    does: 'For posthog, the id of the project that persons are deleted from.',
  }),
  metricsToken: option({
    group: 'process',
    kind: token,
    default: null,
    absent: 'no metrics',
    does: 'Bearer token that opens /metrics, for Prometheus; without one nothing is measured.',
    secret: true,
  }),
  otlpUrl: option({
    group: 'process',
    kind: serviceUrl,
    default: null,
    absent: 'no traces',
    does: 'Address of an OpenTelemetry collector, such as http://localhost:4318: traces go to /v1/traces below it, as JSON over HTTP. Headers to send come from where OpenTelemetry has them: OTEL_EXPORTER_OTLP_HEADERS.',
  }),
  logLevel: option({
    group: 'process',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    does: 'Least level that is logged.',
  }),
  hotVaultsMb: option({
    group: 'process',
    kind: integer(1, 1_000_000),
    default: 256,
    does: 'Memory for the lists of vaults in use, in MB; the vaults used longest ago are let go.',
  }),
  shutdownSeconds: option({
    group: 'process',
    kind: integer(0, 600),
    default: 10,
    does: 'Time that running requests get to finish when the server stops.',
  }),
} as const;

export type OptionName = keyof typeof options;

/** An option as data, when its value type does not matter. */
export type AnyOption = Option<unknown, unknown>;

/** dataDir → DATA_DIR → NOTEVAULT_DATA_DIR. */
export function variableOf(name: OptionName): string {
  return `NOTEVAULT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** dataDir → --data-dir. */
export function flagOf(name: OptionName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** All options in the order they are declared in. */
export function listOptions(): { name: OptionName; option: AnyOption }[] {
  return (Object.keys(options) as OptionName[]).map((name) => ({ name, option: options[name] }));
}
