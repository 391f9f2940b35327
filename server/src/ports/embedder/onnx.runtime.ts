import { loadOptional } from '../../program/optional-packages.ts';
import { EmbedderError } from './embedder.ts';

const PACKAGES = ['onnxruntime-web', '@huggingface/tokenizers'];

/** The part of @huggingface/tokenizers that is used. */
interface Tokenizer {
  encode(text: string, options?: { add_special_tokens: boolean }): { ids: number[] };
}
interface TokenizerPackage {
  readonly Tokenizer: new (json: Settings, config: Settings) => Tokenizer;
}

/** The part of onnxruntime-web that is used. */
interface Tensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}
interface InferenceSession {
  readonly inputNames: readonly string[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  release(): Promise<void>;
}
interface OnnxPackage {
  readonly env: { readonly wasm: { numThreads?: number } };
  readonly InferenceSession: { create(file: string, options: object): Promise<InferenceSession> };
  readonly Tensor: new (type: 'int64', values: BigInt64Array, dims: readonly number[]) => Tensor;
}

/** Turns texts into token ids for a model. */
export interface Tokens {
  /** The text's token ids, with the special tokens around them, in as many windows as they need; at least one. */
  windows(text: string, maxTokens: number): number[][];
}

export interface Session extends AsyncDisposable {
  /** Returns a vector for each window: the pooled vectors of its tokens, unless the model pools them itself. */
  run(windows: readonly (readonly number[])[], pooling: 'mean' | 'cls'): Promise<Float32Array[]>;
}

type Settings = Record<string, unknown>;

export async function openTokenizer(json: Settings, config: Settings): Promise<Tokens> {
  const { Tokenizer } = await optional<TokenizerPackage>('@huggingface/tokenizers');
  const tokenizer = new Tokenizer(json, config);
  const { before, after } = specialTokens(tokenizer);
  return {
    windows(text, maxTokens) {
      const clean = text.toWellFormed().replaceAll('\0', ' ');
      const ids: number[] = tokenizer.encode(clean, { add_special_tokens: false }).ids;
      const room = maxTokens - before.length - after.length;
      const windows: number[][] = [];
      for (let from = 0; from < ids.length || from === 0; from += room) {
        windows.push([...before, ...ids.slice(from, from + room), ...after]);
      }
      return windows;
    },
  };
}

function specialTokens(tokenizer: Tokenizer): { before: number[]; after: number[] } {
  const bare: number[] = tokenizer.encode('a', { add_special_tokens: false }).ids;
  const ids: number[] = tokenizer.encode('a').ids;
  const at = ids.findIndex((_, from) => bare.every((id, index) => ids[from + index] === id));
  return at < 0 ? { before: [], after: [] } : { before: ids.slice(0, at), after: ids.slice(at + bare.length) };
}

export async function openSession(file: string, threads: number): Promise<Session> {
  const ort = await optional<OnnxPackage>('onnxruntime-web');
  ort.env.wasm.numThreads = threads;
  const session = await ort.InferenceSession.create(file, { executionProviders: ['wasm'], logSeverityLevel: 3 });
  const int64 = (values: BigInt64Array, dims: readonly number[]) => new ort.Tensor('int64', values, dims);
  return {
    async run(windows, pooling) {
      const length = Math.max(1, ...windows.map((ids) => ids.length));
      const dims = [windows.length, length];
      const feeds = feedsOf(session, windows, length, (values) => int64(values, dims));
      return pooled(await session.run(feeds), windows, length, pooling);
    },
    [Symbol.asyncDispose]: () => session.release(),
  };
}

function feedsOf(
  session: InferenceSession,
  windows: readonly (readonly number[])[],
  length: number,
  tensor: (values: BigInt64Array) => Tensor,
): Record<string, Tensor> {
  const ids = new BigInt64Array(windows.length * length);
  const mask = new BigInt64Array(windows.length * length);
  windows.forEach((window, row) => {
    window.forEach((id, at) => {
      ids[row * length + at] = BigInt(id);
      mask[row * length + at] = 1n;
    });
  });
  const all: Record<string, () => Tensor> = {
    input_ids: () => tensor(ids),
    attention_mask: () => tensor(mask),
    token_type_ids: () => tensor(new BigInt64Array(ids.length)),
  };
  return Object.fromEntries(
    session.inputNames.map((name) => {
      const make = all[name];
      if (make === undefined)
        throw new EmbedderError('unusable', `The model needs the input ${name}, so it is not a text model.`);
      return [name, make()];
    }),
  );
}

function pooled(
  outputs: Record<string, Tensor>,
  windows: readonly (readonly number[])[],
  length: number,
  pooling: 'mean' | 'cls',
): Float32Array[] {
  const output = outputs.sentence_embedding ?? outputs.last_hidden_state ?? Object.values(outputs)[0];
  if (output === undefined || !(output.data instanceof Float32Array)) {
    throw new EmbedderError('unusable', 'The model gives no vectors of 32-bit floats.');
  }
  const values = output.data;
  const dimensions = output.dims.at(-1) ?? 0;
  if (output.dims.length === 2) return windows.map((_, row) => values.slice(row * dimensions, (row + 1) * dimensions));
  return windows.map((window, row) => {
    const vector = new Float32Array(dimensions);
    const tokens = pooling === 'cls' ? 1 : window.length;
    for (let token = 0; token < tokens; token++) {
      const from = (row * length + token) * dimensions;
      for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] ?? 0) + (values[from + at] ?? 0);
    }
    return vector;
  });
}

/** Loads an optional package: running models needs large packages, which are installed only where they are wanted. */
async function optional<Module>(name: string): Promise<Module> {
  try {
    return await loadOptional('NOTEVAULT_EMBEDDER=onnx', PACKAGES, () => import(name) as Promise<Module>);
  } catch (cause) {
    throw new EmbedderError('unusable', (cause as Error).message, { cause });
  }
}
