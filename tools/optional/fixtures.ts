import {
  acceptedContent,
  type CallToolResult,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';

/*
 * The tools, resources and prompts that the conformance suite calls by name, served through the same endpoint as the
 * product's own.
 */

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const HINT = { ttlMs: 60_000, cacheScope: 'private' } as const;
/** Capabilities without announcements of list changes. */
const STABLE = { listChanged: false };
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'] as const;

const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const;
const text = (words: string) => ({ type: 'text', text: words }) as const;
const embedded = (uri: string) =>
  ({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'embedded' } }) as const;
const said = (words: string): CallToolResult => ({ content: [text(words)] });

/** The state of a call in several rounds; every process of a server would need the same key. */
const states = createRequestStateCodec<{ round: number }>({ key: new Uint8Array(32).fill(7) });

type Handler = (context: ServerContext) => Promise<CallToolResult | InputRequiredResult>;

/** Asks the user for one value. */
function asked(field: string, type: 'string' | 'boolean' = 'string') {
  const requestedSchema = { type: 'object' as const, properties: { [field]: { type } }, required: [field] };
  return inputRequired.elicit({ message: `Please enter ${field}`, requestedSchema } as Parameters<
    typeof inputRequired.elicit
  >[0]);
}

function sampled(words: string) {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens: 16 });
}

const tools: Readonly<Record<string, Handler>> = {
  test_simple_text: async () => said('This is a simple text response for testing.'),
  test_image_content: async () => ({ content: [image] }),
  test_audio_content: async () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: async () => ({ content: [embedded('test://embedded-resource')] }),
  test_multiple_content_types: async () => ({ content: [text('several'), image, embedded('test://mixed')] }),
  test_error_handling: async () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_streaming_elicitation: async () => said('no request of the server'),
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'only for requests with a log level');
    return said('logged');
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    return said('done');
  },
  test_missing_capability: async ({ mcpReq }) =>
    mcpReq.inputResponses === undefined ? inputRequired({ inputRequests: { answer: sampled('pong?') } }) : said('pong'),
  test_input_required_result_elicitation: async ({ mcpReq }) => {
    const name = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'user_name')?.name;
    return typeof name === 'string'
      ? said(`Hello, ${name}!`)
      : inputRequired({ inputRequests: { user_name: asked('name') } });
  },
  test_input_required_result_sampling: async ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.capital_question;
    if (answer !== undefined) return said(JSON.stringify(answer));
    return inputRequired({ inputRequests: { capital_question: sampled('What is the capital of France?') } });
  },
  test_input_required_result_list_roots: async ({ mcpReq }) => {
    const roots = mcpReq.inputResponses?.client_roots;
    return roots === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : said(JSON.stringify(roots));
  },
  test_input_required_result_request_state: confirmedWith('state-ok'),
  test_input_required_result_tampered_state: confirmedWith('integrity-ok'),
  test_input_required_result_multiple_inputs: async ({ mcpReq }) => {
    const { user_name: name, greeting, client_roots: roots } = mcpReq.inputResponses ?? {};
    if (name !== undefined && greeting !== undefined && roots !== undefined) return said('all three');
    const inputRequests = {
      user_name: asked('name'),
      greeting: sampled('Greet'),
      client_roots: inputRequired.listRoots(),
    };
    return inputRequired({ inputRequests, requestState: await states.mint({ round: 1 }) });
  },
  test_input_required_result_multi_round: async ({ mcpReq }) => {
    const { round } = mcpReq.requestState<{ round: number }>() ?? { round: 0 };
    if (round === 2) return said('complete');
    const inputRequests = round === 0 ? { step1: asked('name') } : { step2: asked('color') };
    return inputRequired({ inputRequests, requestState: await states.mint({ round: round + 1 }) });
  },
  test_input_required_result_capabilities: async ({ mcpReq: { envelope, inputResponses } }) => {
    if (inputResponses !== undefined) return said('answered');
    const declared = (envelope as Record<string, { elicitation?: object } | undefined> | undefined)?.[
      'io.modelcontextprotocol/clientCapabilities'
    ];
    const request =
      declared?.elicitation === undefined ? { sampling: sampled('Hello') } : { elicitation: asked('name') };
    return inputRequired({ inputRequests: request });
  },
};

/** Completes once the state that it gave comes back with a confirmation. */
function confirmedWith(words: string): Handler {
  return async ({ mcpReq }) => {
    const isConfirmed = acceptedContent(mcpReq.inputResponses, 'confirm') !== undefined;
    if (isConfirmed && mcpReq.requestState() !== undefined) return said(words);
    return inputRequired({
      inputRequests: { confirm: asked('ok', 'boolean') },
      requestState: await states.mint({ round: 1 }),
    });
  };
}

/** Returns a protocol server with all fixtures. */
export function createFixtures(): McpServer {
  const server = new McpServer(
    { name: 'fixtures', version: '1.0.0' },
    {
      capabilities: { tools: STABLE, resources: STABLE, prompts: STABLE, completions: {}, logging: {} },
      cacheHints: Object.fromEntries(LISTS.map((list) => [list, HINT])),
      requestState: { verify: states.verify },
    },
  );
  const inputSchema = fromJsonSchema<Record<string, never>>({ type: 'object' });
  for (const [name, handler] of Object.entries(tools)) {
    server.registerTool(name, { description: name, inputSchema }, (_input, context) => handler(context));
  }
  registerResources(server);
  registerPrompts(server);
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }));
  return server;
}

function registerResources(server: McpServer): void {
  const read = (uri: string, contents: { text: string } | { blob: string }, mimeType: string) =>
    server.registerResource(uri, uri, { mimeType }, async () => ({ contents: [{ uri, mimeType, ...contents }] }));
  read('test://static-text', { text: 'This is the content of the static text resource.' }, 'text/plain');
  read('test://static-binary', { blob: PNG }, 'image/png');
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, { mimeType: 'application/json' }, async ({ href: uri }, { id }) => ({
    contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }],
  }));
}

const described = (description: string) => ({ title: description, description });

function registerPrompts(server: McpServer): void {
  const user = (content: ReturnType<typeof text> | typeof image | ReturnType<typeof embedded>) =>
    ({ role: 'user', content }) as const;
  const strings = (...names: string[]) =>
    fromJsonSchema<Record<string, string>>({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      required: names,
    });
  server.registerPrompt('test_simple_prompt', described('simple'), async () => ({ messages: [user(text('simple'))] }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    { ...described('arguments'), argsSchema: strings('arg1', 'arg2') },
    async ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { ...described('resource'), argsSchema: strings('resourceUri') },
    async ({ resourceUri }) => ({
      messages: [user(embedded(resourceUri ?? '')), user(text('see above'))],
    }),
  );
  server.registerPrompt('test_prompt_with_image', described('image'), async () => ({
    messages: [user(image), user(text('see above'))],
  }));
  server.registerPrompt('test_input_required_result_prompt', described('input'), (async ({ mcpReq }: ServerContext) =>
    mcpReq.inputResponses === undefined
      ? inputRequired({ inputRequests: { user_context: asked('context') } })
      : { messages: [user(text('prepared'))] }) as never);
}
