import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../random.ts';

/*
 * A real model of a few kilobytes for tests: each character is a token with its own vector, which the model looks up; or
 * one of any size for benches, which also multiplies as often as a real one. Written byte by byte after onnx.proto3
 * (https://github.com/onnx/onnx, IR version 8).
 */

const WIDTH = 32;
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789*-.,абвгдежзийклмнопрстуфхцчшщъыьэюя知識庭の'];
const VOCABULARY = [...SPECIAL, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`)];

/** Writes model and tokenizer into a folder. @param files override the usual files; null leaves one out. */
export async function writeTinyModel(
  folder: string,
  files: Record<string, string | Buffer | null> = {},
): Promise<void> {
  const all: Record<string, string | Buffer | null> = {
    'model.onnx': tinyModel(),
    'tokenizer.json': JSON.stringify(tokenizer(VOCABULARY)),
    'tokenizer_config.json': JSON.stringify({ tokenizer_class: 'BertTokenizer', model_max_length: 64 }),
    ...files,
  };
  await mkdir(join(folder, '1_Pooling'), { recursive: true });
  for (const [name, content] of Object.entries(all)) if (content !== null) await writeFile(join(folder, name), content);
}

/** How large a model is. */
export interface ModelSize {
  /** Its vocabulary, besides letters. */
  readonly words: readonly string[];
  /** Numbers of a vector. */
  readonly width: number;
  /** Layers of a transformer, each with its four projections and its two larger matrices, and without attention. */
  readonly layers: number;
  /** Tokens that it accepts. */
  readonly tokens: number;
}

/** Writes a model of random weights of a size, and its tokenizer, into a folder. */
export async function writeModelOfSize(folder: string, size: ModelSize): Promise<void> {
  const vocabulary = [...new Set([...VOCABULARY, ...size.words])];
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.onnx'), sizedModel(vocabulary.length, size));
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer(vocabulary)));
  const config = { tokenizer_class: 'BertTokenizer', model_max_length: size.tokens };
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(config));
}

function sizedModel(rows: number, { width, layers }: ModelSize): Buffer {
  const shapes = Array.from({ length: layers }, () => [
    ...Array.from({ length: 4 }, () => [width, width] as const),
    ...[[width, 4 * width] as const, [4 * width, width] as const],
  ]).flat();
  const nodes = [node('Gather', ['table', 'input_ids'], shapes.length === 0 ? OUTPUT : 'x0')];
  for (const at of shapes.keys()) {
    // Without a bound in between, random weights would grow the numbers beyond what a float holds.
    nodes.push(node('MatMul', [`x${at}`, `w${at}`], `y${at}`));
    nodes.push(node('Tanh', [`y${at}`], at === shapes.length - 1 ? OUTPUT : `x${at + 1}`));
  }
  const random = new Random(11);
  const weights = (count: number) => Float32Array.from({ length: count }, () => (random.next() - 0.5) / 4);
  const tensors = shapes.map(([from, to], at) => tensor(`w${at}`, [from, to], weights(from * to)));
  return modelOf(nodes, [tensor('table', [rows, width], weights(rows * width)), ...tensors], width);
}

export function tinyModel(): Buffer {
  const random = new Random(11);
  const rows = VOCABULARY.map((token) =>
    Array.from({ length: WIDTH }, () => (SPECIAL.includes(token) ? 0 : random.next() + random.next() - 1)),
  );
  // `##a` is `a` inside a word and gets nearly the same vector.
  LETTERS.forEach((_, index) => {
    const from = SPECIAL.length + index;
    rows[from + LETTERS.length] = (rows[from] ?? []).map((value) => value * 0.9);
  });
  const table = tensor('table', [VOCABULARY.length, WIDTH], Float32Array.from(rows.flat()));
  return modelOf([node('Gather', ['table', 'input_ids'], OUTPUT)], [table], WIDTH);
}

const OUTPUT = 'last_hidden_state';
const FLOAT = 1;
const INT64 = 7;

/** ModelProto: ir_version, graph, opset_import of the default domain, version 13. */
function modelOf(nodes: readonly Buffer[], tensors: readonly Buffer[], width: number): Buffer {
  const graph = Buffer.concat([
    ...nodes.map((own) => bytes(1, own)),
    ...[bytes(2, 'tiny'), ...tensors.map((own) => bytes(5, own))],
    ...[value(11, 'input_ids', INT64, ['batch', 'length'])],
    ...[value(12, OUTPUT, FLOAT, ['batch', 'length', width])],
  ]);
  return Buffer.concat([int(1, 8), bytes(7, graph), bytes(8, int(2, 13))]);
}

/** NodeProto: inputs, output, op_type. */
function node(kind: string, inputs: readonly string[], output: string): Buffer {
  return Buffer.concat([...inputs.map((name) => bytes(1, name)), bytes(2, output), bytes(4, kind)]);
}

/** TensorProto: dims, data_type, name, raw_data. */
function tensor(name: string, dims: readonly number[], values: Float32Array): Buffer {
  return Buffer.concat([
    ...dims.map((dim) => int(1, dim)),
    ...[int(2, FLOAT), bytes(8, name), bytes(9, Buffer.from(values.buffer))],
  ]);
}

/** ValueInfoProto: name and a tensor type with its shape. */
function value(field: number, name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const dims = shape.map((dim) => bytes(1, typeof dim === 'number' ? int(1, dim) : bytes(2, dim)));
  const tensor = Buffer.concat([int(1, type), bytes(2, Buffer.concat(dims))]);
  return bytes(field, Buffer.concat([bytes(1, name), bytes(2, bytes(1, tensor))]));
}

function varint(value: number): Buffer {
  const out: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) out.push((left % 128) | 128);
  return Buffer.from([...out, left]);
}

function int(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function bytes(field: number, value: string | Buffer): Buffer {
  const content = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
}

/** A tokenizer in the format of a BERT model's `tokenizer.json`. */
function tokenizer(vocabulary: readonly string[]): object {
  const id = (token: string) => vocabulary.indexOf(token);
  const special = (token: string) => ({ id: token, ids: [id(token)], tokens: [token] });
  return {
    version: '1.0',
    added_tokens: SPECIAL.map((content) => ({
      id: id(content),
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: { '[CLS]': special('[CLS]'), '[SEP]': special('[SEP]') },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((token, index) => [token, index])),
    },
  };
}
