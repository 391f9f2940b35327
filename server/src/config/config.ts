import { readFileSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import {
  builtinPlans,
  checkPlans,
  mergePlans,
  type PlanChanges,
  type PlanTable,
} from '../domains/foundation/plans/plans.ts';
import {
  type AnyOption,
  flagOf,
  listOptions,
  type Option,
  type OptionName,
  type options,
  variableOf,
} from './options.ts';

type ValueOf<Declared> =
  Declared extends Option<infer T, infer Default> ? T | (Default extends null ? null : never) : never;

/** The values of all options. Frozen; passed to the code that needs it, never read globally. */
export type Config = {
  readonly [Name in Exclude<OptionName, 'plans'>]: ValueOf<(typeof options)[Name]>;
} & {
  /** The built-in plans, changed and extended by the plan file. */
  readonly plans: PlanTable;
};

/** Texts from the command line, by option. An empty text counts as absent. */
export type Flags = { readonly [Name in OptionName]?: string | undefined };
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration is invalid; `problems` has one sentence for each thing to fix. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

export function processConfig(flags: Flags = {}): Config {
  return readConfig(process.env, flags);
}

/** Flags override the environment, which overrides the defaults. Throws ConfigError with every problem at once. */
export function readConfig(given: Environment, flags: Flags = {}): Config {
  const env = withoutServices(given);
  const problems = unknownVariables(env).flatMap(({ variable, meant }) =>
    meant === null ? [] : [`${variable} is not an option; did you mean ${meant}?`],
  );
  const values: Record<string, unknown> = {};
  for (const { name, option } of listOptions()) values[name] = readOption(name, option, env, flags, problems);

  shareMemory(values, (name) => isGiven(name, env, flags));
  const plans = readPlans(values.plans as string | null, problems);
  const config = { ...values, plans } as Config;
  if (!Object.hasOwn(plans, config.defaultPlan)) {
    const known = Object.keys(plans).join(', ');
    problems.push(`${variableOf('defaultPlan')} names the unknown plan "${config.defaultPlan}"; known: ${known}.`);
  }
  for (const name of ['databasePool', 'databaseDirectUrl', 'databasePrepared'] as const) {
    if (config.databaseUrl !== null || !isGiven(name, env, flags)) continue;
    problems.push(`${variableOf(name)} has no effect without ${variableOf('databaseUrl')}: set both or neither.`);
  }
  for (const name of ['s3Endpoint', 's3Addressing'] as const) {
    if (config.blobs?.kind === 's3' || config[name] === null) continue;
    problems.push(`${variableOf(name)} has no effect unless ${variableOf('blobs')} names a bucket: s3://….`);
  }
  for (const name of ['backupAt', 'backupKeep'] as const) {
    if (config.backupDir !== null || !isGiven(name, env, flags)) continue;
    problems.push(`${variableOf(name)} has no effect without ${variableOf('backupDir')}.`);
  }
  if ((config.tlsCert === null) !== (config.tlsKey === null)) {
    problems.push(`${variableOf('tlsCert')} and ${variableOf('tlsKey')} belong together: set both or neither.`);
  }
  if ((config.smtpUrl === null) !== (config.mailFrom === null)) {
    problems.push(
      `${variableOf('smtpUrl')} and ${variableOf('mailFrom')} are needed to send mails: set both or neither.`,
    );
  }
  problems.push(...oidcProblems(config, env, flags), ...embedderProblems(config, env, flags));
  for (const name of ['analyticsUrl', 'analyticsKey', 'analyticsEraseKey'] as const) {
    const given = config[name] !== null;
    if (given === (config.analytics === 'posthog')) continue;
    const [variable, sink] = [variableOf(name), variableOf('analytics')];
    problems.push(given ? `${variable} has no effect without ${sink}=posthog.` : `${sink}=posthog needs ${variable}.`);
  }
  if (config.versionsDailyDays < config.versionsHourlyDays) {
    problems.push(
      `${variableOf('versionsDailyDays')} must not be less than ${variableOf('versionsHourlyDays')}: hourly versions would be deleted too early.`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return freeze(config);
}

/** Shares of the memory target that the caches may use; the rest is for code, heap and database. */
const MEMORY_SHARES = { hotVaultsMb: 0.15, searchMemoryMb: 0.25 } as const;

/** Bounds the caches by the memory of the process, where their own options are not given. */
function shareMemory(values: Record<string, unknown>, given: (name: OptionName) => boolean): void {
  const { memoryMb } = values;
  if (typeof memoryMb !== 'number') return;
  for (const [name, share] of Object.entries(MEMORY_SHARES)) {
    if (given(name as OptionName)) continue;
    values[name] = Math.min(Number(values[name]), Math.floor(memoryMb * share));
  }
}

/** Options of single sign-on without a provider, and a provider without a client. */
function oidcProblems({ oidcIssuer, oidcClientId, oidcScopes }: Config, env: Environment, flags: Flags): string[] {
  const issuer = variableOf('oidcIssuer');
  if (oidcIssuer !== null && oidcClientId === null) return [`${issuer} needs ${variableOf('oidcClientId')}.`];
  if (!oidcScopes.split(/\s+/).includes('openid')) return [`${variableOf('oidcScopes')} must contain openid.`];
  const more = ['ClientId', 'ClientSecret', 'Name', 'Scopes', 'Register', 'AdminClaim'] as const;
  const names = oidcIssuer === null ? more.map((name) => `oidc${name}` as const) : [];
  return names
    .filter((name) => isGiven(name, env, flags))
    .map((name) => `${variableOf(name)} has no effect without ${issuer}.`);
}

/** Options that the embedder needs but are missing, and options that would have no effect. */
function embedderProblems(config: Config, env: Environment, flags: Flags): string[] {
  const { embedder } = config;
  const takes = {
    builtin: [],
    onnx: ['embedderModel', 'embedderThreads'],
    http: ['embedderModel', 'embedderUrl', 'embedderKey'],
  };
  const needs = { builtin: [], onnx: ['embedderModel'], http: ['embedderModel', 'embedderUrl'] };
  const options = ['embedderModel', 'embedderUrl', 'embedderKey', 'embedderThreads'] as const;
  return options.flatMap((name) => {
    const [variable, given] = [variableOf(name), isGiven(name, env, flags)];
    if (!given && (needs[embedder] as string[]).includes(name))
      return [`${variableOf('embedder')}=${embedder} needs ${variable}.`];
    if (!given || (takes[embedder] as string[]).includes(name)) return [];
    return [`${variable} has no effect with ${variableOf('embedder')}=${embedder}.`];
  });
}

/** The configured public address, or one made of the host and the actual port. */
export function publicUrlOf(
  { publicUrl, host, tlsCert = null }: Pick<Config, 'publicUrl' | 'host'> & Partial<Pick<Config, 'tlsCert'>>,
  port: number,
): string {
  return publicUrl ?? `${tlsCert === null ? 'http' : 'https'}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function readOption(name: OptionName, option: AnyOption, env: Environment, flags: Flags, problems: string[]): unknown {
  const flag = flags[name];
  const fromFlag = flag !== undefined && flag !== '';
  const text = fromFlag ? flag : env[variableOf(name)];
  const absent = typeof option.default === 'string' ? option.kind.parse(option.default) : option.default;
  // Compose files and unit files cannot unset a variable, only empty it.
  if (text === undefined || text === '') return absent;
  const value = option.kind.parse(text);
  if (value !== undefined) return value;
  const source = fromFlag ? flagOf(name) : variableOf(name);
  const shown = option.secret ? 'cannot be used' : `is ${JSON.stringify(text)}`;
  problems.push(`${source} ${shown}: it must be ${option.kind.expects}.`);
  return absent;
}

function isGiven(name: OptionName, env: Environment, flags: Flags): boolean {
  return (flags[name] ?? '') !== '' || (env[variableOf(name)] ?? '') !== '';
}

function readPlans(file: string | null, problems: string[]): PlanTable {
  if (file === null) return builtinPlans;
  const variable = variableOf('plans');
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why =
      error instanceof SyntaxError ? 'is not JSON' : `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    problems.push(`${variable} is ${JSON.stringify(file)}, which ${why}: give a readable JSON file.`);
    return builtinPlans;
  }
  const wrong = checkPlans(builtinPlans, content);
  problems.push(...wrong.map((problem) => `${variable} is ${JSON.stringify(file)}: ${problem}.`));
  return wrong.length > 0 ? builtinPlans : mergePlans(builtinPlans, content as PlanChanges);
}

/** Finds variables with our prefix that are no options, each with the option that it resembles, if any. */
function unknownVariables(env: Environment): { readonly variable: string; readonly meant: string | null }[] {
  const known = [...listOptions().map(({ name }) => variableOf(name)), ...CLIENT_VARIABLES];
  return Object.keys(env).flatMap((variable) => {
    if (!variable.startsWith(PREFIX) || known.includes(variable)) return [];
    return [{ variable, meant: known.find((name) => distance(name, variable) <= 2) ?? null }];
  });
}

/** Returns the variables with our prefix that resemble no option, sorted by name. They have no effect. */
export function variablesWithoutEffect(given: Environment = process.env): string[] {
  const unknown = unknownVariables(withoutServices(given)).filter(({ meant }) => meant === null);
  return unknown.map(({ variable }) => variable).sort();
}

const PREFIX = 'NOTEVAULT_';
/** Read by commands that talk to a server. */
const CLIENT_VARIABLES = ['NOTEVAULT_TOKEN', 'NOTEVAULT_URL'];
/** The names that Kubernetes gives to the variables of a service, after the name of the service. */
const SERVICE_VARIABLE = /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/**
 * The environment without the variables that Kubernetes sets by itself for services named `notevault` or `notevault-…`.
 * One of them has the name of an option: `NOTEVAULT_PORT`, as an address.
 */
function withoutServices(env: Environment): Environment {
  const isOurs = ([variable, value = '']: [string, string | undefined]) =>
    !variable.startsWith(PREFIX) ||
    !(SERVICE_VARIABLE.test(variable) || (variable.endsWith('_PORT') && SERVICE_ADDRESS.test(value)));
  return Object.fromEntries(Object.entries(env).filter(isOurs));
}

/** Levenshtein distance: the number of letters to insert, remove or replace. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Freezes plain objects and arrays deeply; secrets and buffers are left alone. */
function freeze<T>(value: T): T {
  if (Array.isArray(value) || (value !== null && Object.getPrototypeOf(value) === Object.prototype)) {
    for (const inner of Object.values(value as object)) freeze(inner);
    Object.freeze(value);
  }
  return value;
}

/** The address of the PostgreSQL database without a pooler; null with SQLite. */
export function directUrlOf({ databaseUrl, databaseDirectUrl }: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>) {
  return databaseUrl === null ? null : (databaseDirectUrl ?? databaseUrl).reveal();
}
