import {
  blobStore,
  choice,
  claim,
  databaseUrl,
  extensions,
  hostName,
  integer,
  issuerUrl,
  key256,
  line,
  mailbox,
  origins,
  path,
  proxies,
  publicUrl,
  redirects,
  serviceUrl,
  smtpUrl,
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
  signIn: 'Signing in',
  mail: 'Mail',
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
const signIn = optionsOf('signIn');
const mail = optionsOf('mail');
const search = optionsOf('search');
const analytics = optionsOf('analytics');
const server = optionsOf('process');

export const options = {
  host: network({
    kind: hostName,
    default: '127.0.0.1',
    does: 'Address to listen on; 0.0.0.0 or :: listens on all addresses.',
  }),
  port: network({
    kind: integer(0, 65_535),
    default: 4100,
    does: 'Port to listen on; 0 chooses a free one.',
  }),
  publicUrl: network({
    kind: publicUrl,
    default: null,
    absent: 'http://HOST:PORT',
    does: 'Public address that clients use, with a path if the host has other sites; with https, cookies are marked secure.',
  }),
  trustProxy: network({
    kind: proxies,
    default: [],
    absent: 'none',
    does: 'Reverse proxies whose X-Forwarded-For header is trusted.',
  }),
  tlsCert: network({
    kind: path,
    default: null,
    absent: 'none: http',
    does: 'Certificate chain in PEM, to serve https without a proxy; read again when the file changes.',
  }),
  tlsKey: network({
    kind: path,
    default: null,
    absent: 'none: http',
    does: 'Private key of the certificate, in PEM.',
  }),
  corsOrigins: network({
    kind: origins,
    default: ['*'],
    does: 'Web origins that may call the API from a browser, in addition to the Obsidian app; `none` refuses all, Obsidian included.',
  }),
  downloads: network({
    kind: choice('on', 'off'),
    default: 'on',
    does: 'Whether /download/ hands out the clients of this version, and the files in the folder downloads of the data folder, to anyone.',
  }),
  socketsPerUser: network({
    kind: integer(1, 100_000),
    default: 200,
    does: 'Maximum open WebSockets per user.',
  }),
  documentsPerSocket: network({
    kind: integer(1, 100_000),
    default: 1000,
    does: 'Maximum open documents per WebSocket.',
  }),
  dataDir: storage({
    kind: path,
    default: './data',
    does: 'Folder in which the server stores all its files.',
  }),
  databaseUrl: storage({
    kind: databaseUrl,
    default: null,
    absent: 'SQLite in the data folder',
    does: 'PostgreSQL database to use instead of the embedded SQLite database.',
    secret: true,
  }),
  databaseDirectUrl: storage({
    kind: databaseUrl,
    default: null,
    absent: 'the value of NOTEVAULT_DATABASE_URL',
    does: 'Address of the same PostgreSQL database without a pooler, for work that needs a dedicated connection: signals between processes, schema changes and backups.',
    secret: true,
  }),
  databasePrepared: storage({
    kind: choice('on', 'off'),
    default: 'on',
    does: 'Whether to prepare statements once per PostgreSQL connection; use off behind a pooler in transaction mode.',
  }),
  databasePool: storage({
    kind: integer(2, 500),
    default: 10,
    does: 'Maximum PostgreSQL connections of this process.',
  }),
  blobs: storage({
    kind: blobStore,
    default: null,
    absent: 'disk; with PostgreSQL: database',
    does: 'Where encrypted attachments are stored: in the data folder (which all processes on one PostgreSQL database must then share), in the database, or in an S3 bucket. Changing this does not move stored attachments.',
  }),
  s3Endpoint: storage({
    kind: serviceUrl,
    default: null,
    absent: 'AWS',
    does: 'Address of an S3 service other than AWS. Credentials and region come from the usual AWS sources: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, files, roles.',
  }),
  s3Addressing: storage({
    kind: choice('path', 'host'),
    default: null,
    absent: 'path with an endpoint, host on AWS',
    does: 'Position of the bucket’s name in addresses: in the path (https://s3.example.org/notes) or in the host name (https://notes.s3.example.org).',
  }),
  versionsHourlyDays: storage({
    kind: integer(1, 36_500),
    default: 30,
    does: 'Days for which one version of a note per hour is kept; all versions are kept for the first day.',
  }),
  versionsDailyDays: storage({
    kind: integer(1, 36_500),
    default: 365,
    does: 'Days for which one version of a note per day is kept; older versions are deleted.',
  }),
  tombstoneDays: storage({
    kind: integer(1, 36_500),
    default: 90,
    does: 'Days for which deleted items can be restored and their tombstones are kept; a device that was offline for longer reads the vault again.',
  }),
  attachmentExtensions: storage({
    kind: extensions,
    default: null,
    absent: 'images, audio, video, PDF, office and e-book formats, text and data, fonts, zip',
    does: 'Allowed file extensions of attachments; replaces the default list.',
  }),
  masterKey: storage({
    kind: key256,
    default: null,
    absent: 'a key file in the data folder, created at the first start',
    does: 'Master key, which encrypts all other keys. Prefer the environment variable: other users of the machine can see flags.',
    secret: true,
  }),
  backupDir: storage({
    kind: path,
    default: null,
    absent: 'no automatic backups',
    does: 'Folder for daily backups, which do not contain the master key; see “Backups” in docs/operations.md.',
  }),
  backupAt: storage({
    kind: timeOfDay,
    default: '02:00',
    does: 'Local time of the daily backup; a missed backup is taken at the next start.',
  }),
  backupKeep: storage({
    kind: integer(1, 10_000),
    default: 14,
    does: 'Maximum number of backups to keep in the backup folder.',
  }),
  registration: accounts({
    kind: choice('open', 'invite_only', 'closed'),
    default: 'invite_only',
    does: 'Who may create an account; the first account can always be created.',
  }),
  publicLinks: accounts({
    kind: choice('on', 'off'),
    default: 'on',
    does: 'Whether owners may make pages of notes and folders that anyone with the address may read; `off` ends those that exist while it lasts.',
  }),
  plans: accounts({
    kind: path,
    default: null,
    absent: 'built-in plans only',
    does: 'JSON file of plans; it changes built-in plans or adds new ones.',
  }),
  defaultPlan: accounts({
    kind: word,
    default: 'self_hosted',
    does: 'Plan of new accounts.',
  }),
  authRateLimit: accounts({
    kind: integer(0, 1_000_000),
    default: 10,
    does: 'Maximum sign-in requests per minute per address and path, and refreshes per session; 0 disables both limits.',
  }),
  mcpWritesPerMinute: accounts({
    kind: integer(0, 1_000_000),
    default: 60,
    does: 'Maximum writes and dry runs per minute that assistants may make with one credential; 0 disables the limit.',
  }),
  passwordLogin: signIn({
    kind: choice('on', 'off', 'admin'),
    default: 'on',
    does: 'Who may sign in with a password: all, nobody, or admins alone. `notevault admin login-link` always lets an account in.',
  }),
  oidcIssuer: signIn({
    kind: issuerUrl,
    default: null,
    absent: 'no single sign-on',
    does: 'OpenID Connect provider to sign in with, written exactly as the `issuer` of its metadata; plain http for loopback and private networks only. See docs/sign-in.md.',
  }),
  oidcClientId: signIn({
    kind: line,
    default: null,
    absent: 'no single sign-on',
    does: 'Client id that the provider gave to this server.',
  }),
  oidcClientSecret: signIn({
    kind: token,
    default: null,
    absent: 'a public client, protected by PKCE alone',
    does: 'Client secret that the provider gave to this server.',
    secret: true,
  }),
  oidcName: signIn({
    kind: line,
    default: null,
    absent: 'the host of the issuer',
    does: 'Name of the provider on the sign-in page.',
  }),
  oidcScopes: signIn({
    kind: line,
    default: 'openid email profile',
    does: 'Scopes to request from the provider; some need `groups` for the admin claim.',
  }),
  oidcRegister: signIn({
    kind: choice('off', 'on'),
    default: 'off',
    does: 'Whether people of the provider who have no account get one when they sign in; NOTEVAULT_REGISTRATION does not apply to them.',
  }),
  oidcAdminClaim: signIn({
    kind: claim,
    default: null,
    absent: 'roles stay as they are',
    does: 'Claim that makes admins, such as groups=admins: at each sign-in through the provider, people with it become admins and others members, except the last admin.',
  }),
  smtpUrl: mail({
    kind: smtpUrl,
    default: null,
    absent: 'no mails',
    does: 'Mail server that sends invitations, confirmations and links to new passwords: smtps:// for TLS from the start, smtp:// for STARTTLS where the server offers it, `?requireTLS=true` to insist on it.',
    secret: true,
  }),
  mailFrom: mail({
    kind: mailbox,
    default: null,
    absent: 'no mails',
    does: 'Sender of the mails, such as Notevault <notes@example.org>.',
  }),
  searchMemoryMb: search({
    kind: integer(16, 1_000_000),
    default: 512,
    does: 'Maximum memory in MB for the search indexes of all vaults; the least recently used are evicted.',
  }),
  embedder: search({
    kind: choice('builtin', 'onnx', 'http'),
    default: 'builtin',
    does: 'Source of vectors for search: the built-in embedder (words and word pieces), an ONNX model in a folder, or a server with OpenAI’s API.',
  }),
  embedderModel: search({
    kind: line,
    default: null,
    absent: 'none',
    does: 'For onnx, the folder that contains model.onnx and tokenizer.json; for http, the model’s name.',
  }),
  embedderUrl: search({
    kind: serviceUrl,
    default: null,
    absent: 'none',
    does: 'For http, the address before /embeddings, such as https://api.example.org/v1.',
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
    does: 'For onnx, the number of threads per calculation.',
  }),
  oauthVerifiedRedirects: accounts({
    kind: redirects,
    default: [],
    absent: 'none',
    does: 'Full redirect addresses of OAuth applications that the consent page shows as verified.',
  }),
  embedderShare: search({
    kind: integer(1, 100),
    default: 50,
    does: 'Maximum share of the embedder’s time, in percent, for vectors of notes; search queries have priority.',
  }),
  analytics: analytics({
    kind: choice('none', 'log', 'posthog'),
    default: 'none',
    does: 'Where product analytics events are sent: nowhere, to the log, or to a server with PostHog’s API. Users can opt out.',
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
    does: 'For posthog, the API key of the project that receives the events.',
    secret: true,
  }),
  analyticsEraseKey: analytics({
    kind: token,
    default: null,
    absent: 'none',
    does: 'For posthog, a personal API key that may delete persons; it erases users who opt out.',
    secret: true,
  }),
  analyticsProject: analytics({
    kind: word,
    default: '@current',
    absent: 'the personal API key’s project',
    does: 'For posthog, the id of the project in which persons are erased.',
  }),
  metricsToken: server({
    kind: token,
    default: null,
    absent: 'no metrics',
    does: 'Bearer token with which Prometheus reads /metrics; without it no metrics are collected.',
    secret: true,
  }),
  otlpUrl: server({
    kind: serviceUrl,
    default: null,
    absent: 'no traces',
    does: 'Address of an OpenTelemetry collector, such as http://localhost:4318. Traces go to its /v1/traces, as JSON over HTTP, with the headers in OTEL_EXPORTER_OTLP_HEADERS.',
  }),
  logLevel: server({
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    does: 'Minimum level of log lines.',
  }),
  memoryMb: server({
    kind: integer(128, 1_000_000),
    default: null,
    absent: 'each option’s own default',
    does: 'Target memory in MB; sets cache and heap limits that are not set explicitly.',
  }),
  hotVaultsMb: server({
    kind: integer(1, 1_000_000),
    default: 256,
    does: 'Maximum memory in MB for cached vault lists; the least recently used vaults are evicted.',
  }),
  shutdownSeconds: server({
    kind: integer(0, 600),
    default: 10,
    does: 'Seconds that running requests have to finish when the server stops.',
  }),
} as const;

export type OptionName = keyof typeof options;

/** An option whose value type does not matter. */
export type AnyOption = Option<unknown, unknown>;

/** Returns the environment variable of an option: dataDir becomes NOTEVAULT_DATA_DIR. */
export function variableOf(name: OptionName): string {
  return `NOTEVAULT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Returns the flag of an option: dataDir becomes --data-dir. */
export function flagOf(name: OptionName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function listOptions(): { name: OptionName; option: AnyOption }[] {
  return (Object.keys(options) as OptionName[]).map((name) => ({ name, option: options[name] }));
}
