import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairSemaphore } from '../../concurrency/semaphore.ts';
import { MODEL_CALCULATIONS } from '../../config/limits.ts';
import {
  checkVectors,
  type Embedder,
  EmbedderError,
  type EmbedOptions,
  MODEL_TRUST,
  normalize,
  type Passage,
  type Space,
} from './embedder.ts';
import { openSession, openTokenizer, type Session, type Tokens } from './onnx.runtime.ts';

export interface OnnxOptions {
  /** Folder as sentence-transformers exports it, with `model.onnx`, `tokenizer.json` and settings. */
  readonly folder: string;
  readonly threads: number;
}

/** Windows calculated together; queries can run between two batches. */
const BATCH = 4;
const MODEL_FILES = ['model.onnx', 'onnx/model.onnx', 'onnx/model_quantized.onnx'];
const LEAST_TOKENS = 16;
/** A longer text is split even if the model accepts it, because one vector cannot represent that many topics. */
const MOST_TOKENS = 512;

interface Model {
  readonly space: Space;
  readonly tokens: Tokens;
  readonly session: Session;
  readonly prompts: Prompts;
  readonly pooling: 'mean' | 'cls';
}

interface Prompts {
  readonly query: string;
  readonly passage: string;
}

/** Vectors of a model in a local folder, opened at the first call, in the calling thread (see `ThreadedEmbedder`). */
export function onnxEmbedder({ folder, threads }: OnnxOptions): Embedder {
  const calculations = new FairSemaphore(MODEL_CALCULATIONS);
  let opened: Promise<Model> | null = null;
  const model = () => {
    opened ??= open(folder, threads).catch((error: unknown) => {
      opened = null;
      throw asEmbedderError(error);
    });
    return opened;
  };

  /** Returns the vectors of texts. A text longer than the model accepts gets the mean of its windows. */
  async function embed(texts: readonly string[], signal: AbortSignal, kind: 'query' | 'passages') {
    const { space, tokens, session, pooling } = await model();
    const vectors = texts.map(() => new Float32Array(space.dimensions));
    const windows = texts.flatMap((text, at) => tokens.windows(text, space.maxTokens).map((ids) => ({ ids, at })));
    for (let from = 0; from < windows.length; from += BATCH) {
      const batch = windows.slice(from, from + BATCH);
      // The calculation before may have blocked the thread: a query that arrived meanwhile is to have its turn.
      await nextTurn();
      await calculations.run(kind, async () => {
        signal.throwIfAborted();
        const pooled = await session.run(
          batch.map(({ ids }) => ids),
          pooling,
        );
        batch.forEach(({ ids, at }, index) => {
          add(vectors[at], pooled[index], ids.length);
        });
      });
    }
    return checkVectors(vectors, texts.length, space.dimensions);
  }

  return {
    name: basename(folder),
    onDemand: false,
    space: async () => (await model()).space,
    async embedPassages(passages: readonly Passage[], signal) {
      signal.throwIfAborted();
      const { prompts } = await model();
      const texts = passages.map(
        ({ about, text }) => `${prompts.passage}${about === '' ? text : `${about}\n\n${text}`}`,
      );
      return embed(texts, signal, 'passages').catch(rethrowAs(signal));
    },
    async embedQuery(query: string, { signal }: EmbedOptions) {
      const { prompts } = await model();
      const [vector] = await embed([prompts.query + query], signal, 'query').catch(rethrowAs(signal));
      return vector as Float32Array;
    },
    async [Symbol.asyncDispose]() {
      const found = await opened?.catch(() => null);
      await found?.session[Symbol.asyncDispose]();
    },
  };
}

function add(sum: Float32Array | undefined, vector: Float32Array | undefined, weight: number): void {
  if (sum === undefined || vector === undefined) return;
  normalize(vector);
  for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0) * weight;
}

const rethrowAs =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    signal.throwIfAborted();
    throw asEmbedderError(error);
  };

function asEmbedderError(error: unknown): EmbedderError {
  if (error instanceof EmbedderError) return error;
  return new EmbedderError('unusable', 'The model in NOTEVAULT_EMBEDDER_MODEL cannot be run.', { cause: error });
}

async function open(folder: string, threads: number): Promise<Model> {
  const file = await modelFile(folder);
  const tokenizerJson = await settings(folder, 'tokenizer.json');
  if (tokenizerJson === null) throw new EmbedderError('unusable', `There is no tokenizer.json in ${folder}.`);
  const tokenizerConfig = (await settings(folder, 'tokenizer_config.json')) ?? {};
  const tokens = await openTokenizer(tokenizerJson, tokenizerConfig);
  const session = await openSession(file, threads);
  const [config, limits, pools, saved] = await Promise.all(
    ['config.json', 'sentence_bert_config.json', '1_Pooling/config.json', 'config_sentence_transformers.json'].map(
      (name) => settings(folder, name),
    ),
  );
  const prompts = promptsOf(saved?.prompts);
  const pooling = pools?.pooling_mode_cls_token === true ? 'cls' : 'mean';
  const sizes = [limits?.max_seq_length, tokenizerConfig.model_max_length, config?.max_position_embeddings];
  const known = sizes.filter((size) => typeof size === 'number' && size >= LEAST_TOKENS) as number[];
  const maxTokens = Math.min(MOST_TOKENS, ...known);
  const [probe] = await session.run(tokens.windows('dimensions', maxTokens), pooling);
  const dimensions = probe?.length ?? 0;
  // The same file with other settings makes other vectors, so the settings are part of the space's id.
  const print = await fingerprint(file, JSON.stringify([tokenizerJson, prompts, pooling, maxTokens]));
  const space = {
    id: `onnx:${basename(folder)}:${print}:${dimensions}`,
    dimensions,
    maxTokens,
    noise: null,
    trust: MODEL_TRUST,
  };
  return { space, tokens, session, prompts, pooling };
}

async function modelFile(folder: string): Promise<string> {
  for (const name of MODEL_FILES) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile()) return join(folder, name);
  }
  throw new EmbedderError('unusable', `There is no ${MODEL_FILES.join(' and no ')} in ${folder}.`);
}

async function settings(folder: string, name: string): Promise<Record<string, unknown> | null> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
}

/** The prompts that models of this kind want before each text, such as "query: ". */
function promptsOf(prompts: unknown): Prompts {
  const { query, passage, document } = (prompts ?? {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return { query: text(query), passage: text(passage ?? document) };
}

async function fingerprint(file: string, more: string): Promise<string> {
  const hash = createHash('sha256').update(more);
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex').slice(0, 12);
}
