import {
  choice,
  databaseUrl,
  hostName,
  integer,
  key256,
  origins,
  path,
  proxies,
  publicUrl,
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
  process: 'Process',
} as const;
export type Group = keyof typeof groups;

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
  logLevel: option({
    group: 'process',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    does: 'Least level that is logged.',
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
