import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Answer, Caller, type Headed } from './person.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { schema?: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: Schema }>> }>>;
}

/** Keywords whose value is a schema or a list of schemas. */
const SUBSCHEMAS = ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'];

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/**
 * Reads JSON Schema as OpenAPI 3.1 defines it. An unknown keyword or format is an error, because it would not be
 * checked.
 */
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  allErrors: true,
  formats: {
    uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  },
});
/** Cached by the text of the schema: every server has its own document, with the same schemas. */
const validators = new Map<string, ValidateFunction>();

/** The OpenAPI document of a server, against which its answers are validated. */
export class ApiDocument {
  readonly #routes: { readonly path: RegExp; readonly weight: number; readonly operations: Paths[string] }[];

  constructor(paths: Paths) {
    this.#routes = Object.entries(paths)
      .map(([path, operations]) => ({
        path: new RegExp(`^${path.replace(/\{path\}$/, '.*').replace(/\{\w+\}/g, '[^/]*')}$`),
        weight: path.replace(/\{.*?\}/g, '').length,
        operations,
      }))
      .sort((a, b) => b.weight - a.weight);
  }

  /**
   * Fails when the status or body of an answer is undocumented, or when a request succeeds that the document forbids.
   */
  check(method: string, path: string, { status, body, headers }: Answer, sent?: () => unknown): void {
    const url = `/api${path.split('?', 1)[0]}`;
    const found = this.#routes
      .filter((route) => route.path.test(url))
      .map((route) => route.operations[method.toLowerCase()]);
    // An unknown route or method is documented by its absence.
    if (found[0] === undefined && [404, 405].includes(status)) return;
    // The most specific path first. A method that it lacks may belong to a path with a parameter.
    const operation = found.find((each) => each !== undefined);
    assert.ok(operation !== undefined, `${method} ${path}: ${status}`);
    // A request that succeeds must be one that the document allows.
    const asked = operation.requestBody?.content?.['application/json']?.schema;
    if (status < 300 && asked !== undefined && sent !== undefined) {
      assert.deepEqual(faults({ ...asked, additionalProperties: true }, sent()), [], `${method} ${path.slice(0, 80)}`);
    }
    const response = operation.responses[status];
    const where = `${method} ${path.slice(0, 80)} → ${status}`;
    assert.ok(response !== undefined, `${where} is not documented: ${JSON.stringify(body)?.slice(0, 200)}`);
    // The bytes of a file may have any type, JSON too.
    const isFile = headers.has('content-disposition');
    if (isFile && response.content?.['application/octet-stream'] !== undefined) return;
    const schema = response.content?.['application/json']?.schema;
    if (schema === undefined) assert.equal(body, null, `${where} has a body`);
    else assert.deepEqual(faults(schema, body), [], where);
  }
}

/** What contradicts the schema, each with its path. */
function faults(schema: Schema, value: unknown): string[] {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(closed(schema) as Schema);
  validators.set(text, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `body${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}

/** The same schema, but undocumented fields are errors unless the schema allows them. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { properties, ...rest } = schema as Schema;
  const own = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, SUBSCHEMAS.includes(key) ? closed(value) : value]),
  );
  if (properties === undefined && ![rest.type].flat().includes('object')) return own;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => [name, closed(field)]);
  return { additionalProperties: false, ...own, properties: Object.fromEntries(fields) };
}

/** A body as the server receives it: raw JSON parsed, undefined fields dropped; undefined for raw bytes. */
function onTheWire(body: unknown): unknown {
  if (body === undefined || body instanceof Uint8Array) return undefined;
  return JSON.parse(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A caller that validates every answer against the document. */
class CheckedCaller extends Caller {
  readonly #caller: Caller;
  readonly #document: ApiDocument;

  constructor(caller: Caller, document: ApiDocument) {
    super('');
    this.#caller = caller;
    this.#document = document;
  }

  override async call(method: string, path: string, body: unknown, headers: Headed): Promise<Answer> {
    const answer = await this.#caller.call(method, path, body, headers);
    // Validated after the answer: a test may send an invalid body on purpose.
    this.#document.check(method, path, answer, body === undefined ? undefined : () => onTheWire(body));
    return answer;
  }
}

/** Returns a function that wraps callers, so that every answer is validated against the server's OpenAPI document. */
export async function checkedCallers({ anyone }: { readonly anyone: Caller }): Promise<(caller: Caller) => Caller> {
  const { body } = await anyone.get('/openapi');
  const document = new ApiDocument(body.paths);
  return (caller) => new CheckedCaller(caller, document);
}
