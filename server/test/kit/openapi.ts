import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Answer, Caller, type Headed } from './person.ts';
import { startServer, type TestServerOptions } from './server.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Body {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { schema?: Schema }>>;
}

interface Operation {
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

/** Keywords whose value is a schema or a list of schemas. */
const SUBSCHEMAS = ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'];

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Components {
  readonly schemas?: Readonly<Record<string, Schema>>;
  readonly responses?: Readonly<Record<string, Body>>;
}

interface Description {
  readonly paths: Paths;
  readonly components?: Components;
}

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
// Where the references of a schema lead.
ajv.addKeyword('components');
/** Compiled schemas by their text, by the components they refer to: every server has its own document, with the same. */
const compiled = new Map<string, Map<string, ValidateFunction>>();

/** The OpenAPI document of a server, against which its answers are validated. */
export class ApiDocument {
  readonly #routes: { readonly path: RegExp; readonly weight: number; readonly operations: Paths[string] }[];

  readonly #components: Components;
  /** The schemas of the components, with undocumented fields as errors. */
  readonly #closed: { readonly schemas: Schema };
  readonly #validators: Map<string, ValidateFunction>;

  constructor({ paths, components = {} }: Description) {
    this.#components = components;
    this.#closed = { schemas: mapValues(components.schemas ?? {}, closedAll) };
    const key = JSON.stringify(this.#closed);
    this.#validators = compiled.get(key) ?? new Map();
    compiled.set(key, this.#validators);
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
      .values()
      .filter((route) => route.path.test(url))
      .map((route) => route.operations[method.toLowerCase()]);
    const first = found.next().value;
    // An unknown route or method is documented by its absence.
    if (first === undefined && [404, 405].includes(status)) return;
    // The most specific path first. A method that it lacks may belong to a path with a parameter.
    const operation = first ?? found.find((each) => each !== undefined);
    assert.ok(operation !== undefined, `${method} ${path}: ${status}`);
    // A request that succeeds must be one that the document allows.
    const asked = operation.requestBody?.content?.['application/json']?.schema;
    if (status < 300 && asked !== undefined && sent !== undefined) {
      assert.deepEqual(
        this.#faults({ ...this.#schema(asked), additionalProperties: true }, sent()),
        [],
        `${method} ${path.slice(0, 80)}`,
      );
    }
    const response = this.#response(operation.responses[status]);
    const where = `${method} ${path.slice(0, 80)} → ${status}`;
    assert.ok(response !== undefined, `${where} is not documented: ${JSON.stringify(body)?.slice(0, 200)}`);
    // The bytes of a file may have any type, JSON too.
    const isFile = headers.has('content-disposition');
    if (isFile && response.content?.['application/octet-stream'] !== undefined) return;
    const schema = response.content?.['application/json']?.schema;
    if (schema === undefined) assert.equal(body, null, `${where} has a body`);
    else assert.deepEqual(this.#faults(schema, body), [], where);
  }

  #response(response: Body | undefined): Body | undefined {
    return response?.$ref === undefined ? response : this.#components.responses?.[nameIn(response.$ref)];
  }

  /** The schema itself where there is a reference to it. */
  #schema(schema: Schema): Schema {
    if (typeof schema.$ref !== 'string') return schema;
    const found = this.#components.schemas?.[nameIn(schema.$ref)];
    assert.ok(found !== undefined, schema.$ref);
    return found;
  }

  /** Returns the values that contradict the schema, each with its path. */
  #faults(schema: Schema, value: unknown): string[] {
    const text = JSON.stringify(schema);
    const validate = this.#validators.get(text) ?? ajv.compile({ ...closed(schema), components: this.#closed });
    this.#validators.set(text, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      return `body${instancePath} ${message} ${JSON.stringify(params)}`;
    });
  }
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Returns the schema with undocumented fields as errors, unless it allows them. */
function closed(schema: Schema): Schema {
  const { properties, ...rest } = schema;
  const own = mapValues(rest, (value, key) => (SUBSCHEMAS.includes(key) ? closedAll(value) : value));
  if (properties === undefined && ![rest.type].flat().includes('object')) return own;
  return { additionalProperties: false, ...own, properties: mapValues(properties ?? {}, closedAll) };
}

function closedAll(schemas: unknown): unknown {
  if (Array.isArray(schemas)) return schemas.map(closedAll);
  return typeof schemas === 'object' && schemas !== null ? closed(schemas as Schema) : schemas;
}

function mapValues(record: object, change: (value: unknown, key: string) => unknown): Schema {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** A body as the server receives it: raw JSON parsed, undefined fields dropped; undefined for raw bytes. */
function onTheWire(body: unknown): unknown {
  if (body === undefined || body instanceof Uint8Array) return undefined;
  return typeof body === 'string' ? JSON.parse(body) : withoutUndefined(body);
}

/** Returns the value as JSON would carry it, without serialising it: some tests send notes of 10 MB. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutUndefined(each) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutUndefined(field)]));
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

/** The document of this process's servers: they differ in their address and settings, not in their operations. */
let description: Promise<ApiDocument> | undefined;

/** Returns a function that wraps callers, so that every answer is validated against the server's OpenAPI document. */
export async function checkedCallers({ anyone }: { readonly anyone: Caller }): Promise<(caller: Caller) => Caller> {
  // Making and reading it takes as long as starting the server, and most tests start one.
  description ??= readDescription(anyone);
  const document = await description;
  return (caller) => new CheckedCaller(caller, document);
}

/** Starts a server whose answers to these callers are validated against its document. */
export async function startChecked(options: TestServerOptions) {
  const server = await startServer(options);
  const checked = await checkedCallers(server);
  return {
    server,
    alice: checked(server.alice),
    bob: checked(server.bob),
    bearer: (token: string) => checked(server.bearer(token)),
    vault: async (who: Caller, name: string) => (await who.post('/vaults', { name })).body.vault.id as string,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function readDescription(anyone: Caller): Promise<ApiDocument> {
  const { status, body } = await anyone.get('/openapi');
  assert.equal(status, 200);
  return new ApiDocument(body);
}
