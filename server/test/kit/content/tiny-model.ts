import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../random.ts';

/*
 * A real model of a few kilobytes for tests: each character is a token with its own vector, which the model looks up.
 * Written byte by byte after onnx.proto3 (https://github.com/onnx/onnx, IR version 8).
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
    'tokenizer.json': JSON.stringify(tinyTokenizer()),
    'tokenizer_config.json': JSON.stringify({ tokenizer_class: 'BertTokenizer', model_max_length: 64 }),
    ...files,
  };
  await mkdir(join(folder, '1_Pooling'), { recursive: true });
  for (const [name, content] of Object.entries(all)) if (content !== null) await writeFile(join(folder, name), content);
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
  const weights = Buffer.from(Float32Array.from(rows.flat()).buffer);
  const FLOAT = 1;
  const INT64 = 7;
  // TensorProto: dims, data_type, name, raw_data.
  const table = Buffer.concat([
    int(1, VOCABULARY.length),
    int(1, WIDTH),
    int(2, FLOAT),
    bytes(8, 'table'),
    bytes(9, weights),
  ]);
  // NodeProto: input, input, output, op_type. Gather along axis 0.
  const gather = Buffer.concat([
    bytes(1, 'table'),
    bytes(1, 'input_ids'),
    bytes(2, 'last_hidden_state'),
    bytes(4, 'Gather'),
  ]);
  const graph = Buffer.concat([
    ...[bytes(1, gather), bytes(2, 'tiny'), bytes(5, table)],
    ...[value(11, 'input_ids', INT64, ['batch', 'length'])],
    ...[value(12, 'last_hidden_state', FLOAT, ['batch', 'length', WIDTH])],
  ]);
  // ModelProto: ir_version, graph, opset_import of the default domain, version 13.
  return Buffer.concat([int(1, 8), bytes(7, graph), bytes(8, int(2, 13))]);
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
function tinyTokenizer(): object {
  const id = (token: string) => VOCABULARY.indexOf(token);
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
      vocab: Object.fromEntries(VOCABULARY.map((token, index) => [token, index])),
    },
  };
}
