import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';

/**
 * Creates the logger of a process: JSON lines with labels and ids, never with people's texts.
 *
 * It redacts by an allowlist: a text is logged only under a key of LABELS, a number or flag under any key, an error
 * without its message, a request without its URL. Anything else is logged as `[withheld]`.
 */
export function createLogger(level: LoggerOptions['level'] & string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }), log: labelsOf },
    serializers: { req: requestLabels, res: responseLabels, err: errorLabels },
    hooks: { logMethod: plainArguments },
  };
  const logger = destination === undefined ? pino(options) : pino(options, destination);
  // Pino's formatters apply to log lines but not to the bindings of a child logger; children inherit this override.
  const child = logger.child;
  logger.child = function filtered(this: Logger, bindings, childOptions) {
    return child.call(this, labelsOf(bindings), childOptions);
  } as Logger['child'];
  return logger;
}

/** Keys of texts that are logged: fixed words and ids. A key may be added only if no user's words can be under it. */
const LABELS = new Set([
  ...['reqId', 'user', 'vault', 'note', 'attachment', 'folder', 'credential', 'client', 'session', 'document'],
  ...['component', 'event', 'reason', 'code', 'engine', 'migration', 'job', 'plan', 'signal', 'version', 'address'],
]);
const LABEL_LENGTH = 100;
const WITHHELD = '[withheld]';
const SERIALIZED = new Set(['req', 'res', 'err']);

function labelsOf(fields: Record<string, unknown>): Record<string, unknown> {
  const labels: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    labels[key] = SERIALIZED.has(key) ? value : labelOf(key, value);
  }
  return labels;
}

function labelOf(key: string, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  return typeof value === 'string' && LABELS.has(key) && value.length <= LABEL_LENGTH ? value : WITHHELD;
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** Prevents Pino from using an error's message as the line's message, and from formatting further arguments into it. */
const plainArguments: LogMethod = function plainArguments(args, method) {
  const [first, second] = args as unknown as [unknown, unknown];
  if (typeof first === 'string') return method.apply(this, [safeMessage(first)]);
  const fields = first instanceof Error ? { err: first } : Object(first);
  const isErrorsOwn = fields.err instanceof Error && second === fields.err.message;
  const message = typeof second === 'string' && !isErrorsOwn ? safeMessage(second) : undefined;
  if (message !== undefined) return method.apply(this, [fields, message]);
  return method.apply(this, fields.err === undefined ? [fields] : [fields, 'failed']);
};

/** Withholds a message of the framework that contains a URL. */
function safeMessage(message: string): string {
  return /(^|[^\w/:]|[A-Z]:)\//.test(message) ? WITHHELD : message;
}

/** The parts of a Fastify request that are logged. `url` of the route is its pattern: `/api/notes/*`. */
interface RequestLike {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly routeOptions?: { readonly url?: string | undefined };
}

function requestLabels(request: RequestLike): Record<string, unknown> {
  return { id: request.id, method: request.method, route: request.routeOptions?.url ?? null };
}

interface ReplyLike {
  readonly statusCode?: number;
  readonly elapsedTime?: number;
  readonly request?: RequestLike;
}

function responseLabels(reply: ReplyLike): Record<string, unknown> {
  const ms = reply.elapsedTime === undefined ? undefined : Math.round(reply.elapsedTime * 10) / 10;
  return { ...requestLabels(reply.request ?? {}), status: reply.statusCode, ms };
}

/** The message is withheld: it may quote a note, a path, an address or a statement's values. */
function errorLabels(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, errcode, constraint } = error as { code?: unknown; errcode?: unknown; constraint?: unknown };
  return {
    type: error.name,
    code: labelOf('code', code),
    errcode: labelOf('code', errcode),
    constraint: labelOf('code', constraint),
    stack: framesOf(error),
    cause: error.cause === undefined || depth >= 3 ? undefined : errorLabels(error.cause, depth + 1),
  };
}

function framesOf(error: Error): string {
  const stack = error.stack ?? '';
  const at = error.message === '' ? 0 : stack.indexOf(error.message);
  // A message may contain lines that look like frames, so it is removed before frames are searched for.
  const frames = at < 0 ? '' : stack.slice(at + error.message.length);
  return frames
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .map((line) => line.trim())
    .join('\n');
}
