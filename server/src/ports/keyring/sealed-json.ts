import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { KeyringError, type SealContext, type SealingKey } from './keyring.ts';

/** Reads a value of an earlier format. Throws when the value is not of that format. */
export type FormatReader<Value> = (stored: unknown) => Value;

/** A deeply read-only `Value`: nothing here writes to its input. */
export type Immutable<Value> = Value extends readonly unknown[] | object
  ? { readonly [Field in keyof Value]: Immutable<Value[Field]> }
  : Value;

/**
 * A kind of JSON that is stored sealed: one byte for its format, then the JSON text in UTF-8. A value of a later
 * version, or one that does not fit its format, is an error and never read as something else.
 */
export class SealedJson<Schema extends TSchema> {
  readonly #format: number;
  readonly #schema: Schema;
  readonly #earlier: ReadonlyMap<number, FormatReader<Static<Schema>>>;
  #validator: Validator | undefined;

  /**
   * @param format the format that is written, 1 to 255. It gets a new number with every change that an earlier reader
   * would misunderstand; adding an optional field keeps the number.
   * @param schema the shape of a value of this format; additional fields are allowed, because a later version may add
   * some.
   * @param earlier readers of earlier formats by number, which convert values to this format.
   */
  constructor(format: number, schema: Schema, earlier: Readonly<Record<number, FormatReader<Static<Schema>>>> = {}) {
    this.#format = format;
    this.#schema = schema;
    this.#earlier = new Map(Object.entries(earlier).map(([number, read]) => [Number(number), read]));
  }

  encode(value: Immutable<Static<Schema>>): Buffer {
    const json = JSON.stringify(value);
    const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(json));
    bytes[0] = this.#format;
    bytes.write(json, 1, 'utf8');
    return bytes;
  }

  /** Throws KeyringError: `unknown_format` for a value of a later version, `damaged_value` for one that does not fit. */
  decode(bytes: Buffer, kind: string): Static<Schema> {
    const format = bytes[0];
    const read = format === this.#format ? (value: unknown) => this.#checked(value) : this.#earlier.get(format ?? 0);
    if (read === undefined) {
      const hint = 'this version of Notevault does not know it; a later one may have written it';
      throw new KeyringError('unknown_format', `A value of ${kind} has the format ${format}: ${hint}.`);
    }
    try {
      return read(JSON.parse(bytes.toString('utf8', 1)));
    } catch (error) {
      // The parser's error quotes the text, which must not reach a log.
      if (error instanceof KeyringError) throw error;
      throw new KeyringError('damaged_value', `A value of ${kind} does not fit its format ${format}.`);
    }
  }

  seal(key: Pick<SealingKey, 'seal'>, context: SealContext, value: Immutable<Static<Schema>>): Buffer {
    return key.seal(context, this.encode(value));
  }

  /** Throws KeyringError like `SealingKey.open` and `decode`. */
  open(key: Pick<SealingKey, 'open'>, context: SealContext, sealed: Uint8Array): Static<Schema> {
    return this.decode(key.open(context, sealed), context.kind);
  }

  #checked(value: unknown): Static<Schema> {
    // Compiled when the first value is read, so that a start of the server does not compile all of them.
    this.#validator ??= Compile(this.#schema) as unknown as Validator;
    if (!this.#validator.Check(value)) throw new TypeError('the value does not fit');
    return value as Static<Schema>;
  }
}
